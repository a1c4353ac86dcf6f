import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { Refusal } from "../kernel/refusal.ts";
import { makeWorkDir, runBundles, until } from "./bundles-for-tests.ts";
import { Redaction } from "./redaction.ts";

const redactionOf = (...values: string[]): Redaction => {
  const redaction = new Redaction();
  redaction.learn(values);
  return redaction;
};

describe("a secret does not show", () => {
  test("whole, quoted as JSON, or line by line", () => {
    const redaction = redactionOf('quo"ted\\one', "-----BEGIN\nabcdef\nghijkl\n");
    expect(redaction.clean('a quo"ted\\one b')).toBe("a [redacted] b");
    expect(redaction.clean(JSON.stringify({ a: 'quo"ted\\one' }))).toBe('{"a":"[redacted]"}');
    expect(redaction.clean("ghijkl")).toBe("[redacted]");
  });

  test("when it is the password in a URL, however it is written", () => {
    const redaction = redactionOf("postgres://app:p%40ss w0rd@db.example/main");
    expect(redaction.clean("at postgres://app:p%40ss w0rd@db.example/main")).toBe("at [redacted]");
    for (const written of ["p%40ss w0rd", "p%40ss%20w0rd", "p@ss w0rd"]) {
      expect(redaction.clean(`no user app with ${written}.`)).toBe("no user app with [redacted].");
    }
  });

  test("in part when another secret is contained in it", () => {
    expect(redactionOf("inner", "an-inner-one").clean("an-inner-one, inner")).toBe("[redacted], [redacted]");
  });

  test("in any text of a refusal, and the refusal stays what it was", () => {
    const refusal = new Refusal("not_ready", {
      message: "m s3cret",
      next: "n s3cret",
      details: { error: "s3cret", list: ["s3cret"], status: 5 },
      retryAfterMs: 7,
    });
    expect(redactionOf("s3cret").cleanRefusal(refusal)).toMatchObject({
      kind: "not_ready",
      message: "m [redacted]",
      next: "n [redacted]",
      details: { error: "[redacted]", list: ["[redacted]"], status: 5 },
      retryAfterMs: 7,
      retryable: true,
    });
  });
});

test("words of up to three letters stay readable", () => {
  expect(redactionOf("on", "", "yes").clean("it is on: yes")).toBe("it is on: yes");
});

test("a server that repeats our headers in its error puts them into no status and no event", async () => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { id = null } = (body === "" ? {} : JSON.parse(body)) as { id?: number | null };
      const message = `no entry with ${request.headers["authorization"]} and ${request.headers["x-team"]}`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const transport = {
    auth: { type: "bearer", token: "literal-t0ken" },
    headers: { "X-Team": "substituted-v4lue" },
    reconnection: { initialReconnectionDelay: 10, maxReconnectionDelay: 50, maxRetries: 1 },
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { provider, bundles, events } = await runBundles(
    makeWorkDir(),
    { allowInsecureRemotes: true, bundles: [{ url, serverName: "afar", transport }] },
    { resolveSecrets: (entry) => ({ ok: true, entry, secrets: ["substituted-v4lue"] }) },
  );
  await until(() => provider("afar").status().state === "dead");
  expect(provider("afar").status().lastError).toContain("no entry with [redacted] and [redacted]");
  const told = JSON.stringify([provider("afar").status(), bundles.status(), events]);
  expect(told).not.toMatch(/literal-t0ken|substituted-v4lue/);
});

describe("tokens", () => {
  test("are taken out while they are among the latest", () => {
    const redaction = new Redaction();
    redaction.learnPassing(["token-1", "", "abc"]);
    expect(redaction.clean("a token-1 abc")).toBe("a [redacted] abc");
    for (let each = 0; each < 1_000; each++) redaction.learnPassing([`other-${each}-end`]);
    expect(redaction.clean("token-1 other-999-end other-0-end")).toBe("token-1 [redacted] other-0-end");
  });
});
