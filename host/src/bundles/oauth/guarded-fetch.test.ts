import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuardedFetch } from "./guarded-fetch.ts";

const LOOPBACK = { allowInsecureRemotes: true, allowPrivateRemotes: [] };
const clean = (text: string): string => text.replaceAll("the-secret", "[redacted]");
const ask = createGuardedFetch({ rules: LOOPBACK, clean });

const serve = async (answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe("what the flow asks for", () => {
  it.each([
    ["http://169.254.169.254/x", LOOPBACK, "cloud metadata address"],
    ["http://10.0.0.1/x", LOOPBACK, "private address"],
    ["http://user:pass@127.0.0.1/x", LOOPBACK, "user name or password"],
    ["file:///etc/passwd", LOOPBACK, "only https"],
    ["http://127.0.0.1/x", { ...LOOPBACK, allowInsecureRemotes: false }, "not https"],
    ["https://127.0.0.1/x", { ...LOOPBACK, allowInsecureRemotes: false }, "loopback address"],
    ["https://localhost:1/x", { ...LOOPBACK, allowInsecureRemotes: false }, "loopback address"],
  ])("does not go to %s", async (url, rules, reason) => {
    const refused = createGuardedFetch({ rules, clean })(url);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toBeInstanceOf(TypeError);
  });

  it("is sent as it is, and a redirect is for the caller to follow", async () => {
    const origin = await serve((req, res) => {
      let body = "";
      req.on("data", (chunk) => (body += String(chunk)));
      req.on("end", () => res.writeHead(307, { location: "http://10.0.0.1/", "x-got": `${req.method} ${body}` }).end());
    });
    const answer = await ask(`${origin}/x`, { method: "POST", body: new URLSearchParams({ a: "b" }) });
    expect([answer.status, answer.headers.get("x-got")]).toEqual([307, "POST a=b"]);
  });

  it("shows no secret in an error that the other side repeats, and keeps answers as they are", async () => {
    const origin = await serve((req, res) => res.writeHead(req.url === "/ok" ? 200 : 400).end("the-secret"));
    expect(await (await ask(`${origin}/ok`)).text()).toBe("the-secret");
    expect(await (await ask(`${origin}/no`)).text()).toBe("[redacted]");
  });

  it("is given up when the answer is endless", async () => {
    const origin = await serve((_, res) => {
      const more = (): void => void (res.destroyed || (res.write("x".repeat(65_536)), setImmediate(more)));
      more();
    });
    await expect(ask(origin)).rejects.toThrow("too large");
  });
});
