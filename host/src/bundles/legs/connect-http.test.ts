import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Connection } from "../connection.ts";
import { connectHttp, type HttpOptions } from "./connect-http.ts";
import { call, fixture, LIMITS, NO_EVENTS, packageBin, startHttp } from "./process-for-tests.ts";

const never = new AbortController().signal;
const ending: (() => unknown)[] = [];

const connect = async (url: string, options: Partial<HttpOptions> = {}): Promise<Connection> => {
  const rules = { allowInsecureRemotes: true, allowPrivateRemotes: [] };
  const events = NO_EVENTS;
  const connection = await connectHttp({
    url,
    rules,
    events,
    headers: {},
    limits: LIMITS,
    signal: never,
    hostVersion: "0.0.0",
    ...options,
  });
  ending.push(() => connection.close("the test is over"));
  return connection;
};

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
};

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

describe("server-everything over Streamable HTTP", () => {
  it("is listed and called, with progress on the call's own stream", async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [packageBin("mcp-server-everything"), "streamableHttp"], {
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    ending.push(() => child.kill("SIGKILL"));
    await new Promise<void>((resolve) => {
      child.stderr.on("data", (text: Buffer) => text.includes("listening") && resolve());
    });
    const server = await connect(`http://127.0.0.1:${port}/mcp`);
    expect(server.era).toBe("legacy");
    const catalogue = await server.list(never);
    expect(catalogue.tools.map((tool) => tool.name)).toContain("echo");
    expect(catalogue.resources.length).toBeGreaterThan(0);
    const heard: string[] = [];
    const listener = { progress: (members: string) => heard.push(members) };
    const long = call(server, "trigger-long-running-operation", '{"duration":0.3,"steps":3}', { listener });
    const quick = await Promise.all(
      ["a", "b", "c"].map((message) => call(server, "echo", JSON.stringify({ message }))),
    );
    expect(quick.map((answer) => answer.json)).toEqual([
      expect.stringContaining("Echo: a"),
      expect.stringContaining("Echo: b"),
      expect.stringContaining("Echo: c"),
    ]);
    expect((await long).kind).toBe("result");
    expect(heard.at(-1)).toBe('"progress":3,"total":3');
    await server.ping(5_000);
  });
});

describe("a modern server over HTTP", () => {
  const start = async (options: Partial<HttpOptions> = {}): Promise<Connection> => {
    const { port, stop } = await startHttp([fixture("raw-modern.mjs"), "http"]);
    ending.push(stop);
    return connect(`http://localhost:${port}/mcp`, options);
  };

  it("is recognised, listed and called, with progress, logs and change notices", async () => {
    let changes = 0;
    const server = await start({ events: { ...NO_EVENTS, listChanged: () => changes++ } });
    expect(server).toMatchObject({ era: "modern", serverVersion: "2.0.1" });
    const catalogue = await server.list(never);
    expect(catalogue.tools.map((tool) => tool.name)).toContain("schön");
    expect(catalogue).toMatchObject({ instructions: "modern words", defects: [] });
    const heard: string[] = [];
    const hear = (text: string): void => void heard.push(text);
    const listener = { progress: hear, log: hear, level: () => "info" };
    await call(server, "steps", '{"steps":1}', { listener });
    expect(heard).toEqual(['"progress":1,"total":1', expect.stringContaining('"data":"step 1"')]);
    expect((await call(server, "schön", '{"text":"☃"}')).json).toContain("☃");
    expect((await call(server, "regional", '{"region":"süd","floor":3}')).json).toContain("süd 3");
    await call(server, "change");
    await expect.poll(() => changes).toBeGreaterThan(0);
    await server.ping(5_000);
  });

  it("sees a cancelled call as a closed response, and the outcome is unknown at once", async () => {
    const server = await start();
    const caller = new AbortController();
    const answer = call(server, "slow", '{"ms":20000}', { signal: caller.signal });
    await call(server, "echo", '{"text":"x"}');
    caller.abort();
    await expect(answer).rejects.toMatchObject({ kind: "indeterminate", details: { error: "cancelled" } });
    await expect.poll(async () => (await call(server, "aborted")).json).toContain("slow");
  });
});
