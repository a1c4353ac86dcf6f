import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Ask, AskAnswer } from "../../kernel/ask.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { Connection } from "../connection.ts";
import { createAsker } from "./asker-for-tests.ts";
import { connectHttp } from "./connect-http.ts";
import { connectStdio } from "./connect-stdio.ts";
import { call, LIMITS, NO_EVENTS, packageBin, startProcess } from "./process-for-tests.ts";

const ending: (() => unknown)[] = [];
const never = new AbortController().signal;
const common = { limits: LIMITS, events: NO_EVENTS, signal: never, hostVersion: "0.0.0" };

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
};

const connect = async (wire: string): Promise<Connection> => {
  const everything = packageBin("mcp-server-everything");
  if (wire === "stdio") {
    const child = startProcess([everything, "stdio"]);
    ending.push(() => child.stop());
    return connectStdio(child, common);
  }
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [everything, "streamableHttp"], { env, stdio: ["ignore", "ignore", "pipe"] });
  ending.push(() => child.kill("SIGKILL"));
  await new Promise<void>((resolve) => {
    child.stderr.on("data", (text: Buffer) => text.includes("listening") && resolve());
  });
  const rules = { allowInsecureRemotes: true, allowPrivateRemotes: [] };
  const connection = await connectHttp({ ...common, url: `http://127.0.0.1:${port}/mcp`, headers: {}, rules });
  ending.push(() => connection.close("the test is over"));
  return connection;
};

const SAID: Record<Ask["method"], string> = {
  "elicitation/create": '{"action":"accept","content":{"name":"Ann","check":true}}',
  "sampling/createMessage": '{"role":"assistant","model":"m","content":{"type":"text","text":"sampled words"}}',
  "roots/list": '{"roots":[{"uri":"file:///of-the-caller"}]}',
};
const say = ({ method }: Ask): AskAnswer => ({ kind: "result", json: rawJson(SAID[method]) });

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

describe.each(["stdio", "http"])("server-everything over %s", (wire) => {
  it("asks for samples and for input, and works with what the caller says", async () => {
    const server = await connect(wire);
    const asker = createAsker("{}", say);
    const listed = async (): Promise<string[]> => (await server.list(never)).tools.map(({ name }) => name);
    // It offers what needs a question once it knows that it may ask.
    await expect.poll(listed).toContain("trigger-elicitation-request");
    const sampled = await call(server, "trigger-sampling-request", '{"prompt":"hi"}', { asker });
    expect(sampled.json).toContain("sampled words");
    const elicited = await call(server, "trigger-elicitation-request", "{}", { asker });
    expect(elicited.json).toContain("Ann");
    const methods = asker.asked.map(({ method }) => method).filter((method) => method !== "roots/list");
    expect(methods).toEqual(["sampling/createMessage", "elicitation/create"]);
  });
});
