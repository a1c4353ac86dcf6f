import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Connection } from "../connection.ts";
import { createAsker } from "./asker-for-tests.ts";
import { CredentialRejected } from "./connect-http.ts";
import { dial, type DialOptions } from "./dial.ts";
import { call, fixture, LIMITS, NO_EVENTS, packageBin, startHttp } from "./process-for-tests.ts";

const never = new AbortController().signal;
const ending: (() => unknown)[] = [];

const connect = async (url: string, options: Partial<DialOptions> = {}): Promise<Connection> => {
  const connection = await dial({
    url,
    transport: undefined,
    headers: {},
    rules: { allowInsecureRemotes: true, allowPrivateRemotes: [] },
    limits: LIMITS,
    events: NO_EVENTS,
    signal: never,
    hostVersion: "0.0.0",
    ...options,
  });
  ending.push(() => connection.close("the test is over"));
  return connection;
};

const startRaw = async (): Promise<string> => {
  const { port, stop } = await startHttp([fixture("raw-sse.mjs")]);
  ending.push(stop);
  return `http://127.0.0.1:${port}`;
};

const seenBy = async (server: Connection): Promise<string[]> =>
  (JSON.parse((await call(server, "state")).json) as { seen: string[] }).seen;

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const startEverything = async (): Promise<string> => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn(process.execPath, [packageBin("mcp-server-everything"), "sse"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  ending.push(() => child.kill("SIGKILL"));
  await new Promise<void>((resolve) => {
    child.stderr.on("data", (text: Buffer) => text.includes("running") && resolve());
  });
  return `http://127.0.0.1:${port}/sse`;
};

describe("server-everything over the older SSE transport", () => {
  it("is found without being named, listed and called, with progress, questions and watched resources", async () => {
    const updated: (string | null)[] = [];
    const url = await startEverything();
    const events = { ...NO_EVENTS, resourceUpdated: (uri: string | null) => updated.push(uri) };
    const server = await connect(url, { events });
    expect(server.era).toBe("legacy");
    const { tools, resources } = await server.list(never);
    expect(tools.map((tool) => tool.name)).toContain("trigger-elicitation-request");
    const heard: string[] = [];
    const listener = { progress: (members: string) => heard.push(members) };
    const long = call(server, "trigger-long-running-operation", '{"duration":0.3,"steps":3}', { listener });
    const quick = await Promise.all(["a", "b"].map((message) => call(server, "echo", JSON.stringify({ message }))));
    expect(quick.map(({ json }) => json)).toEqual([
      expect.stringContaining("Echo: a"),
      expect.stringContaining("Echo: b"),
    ]);
    await long;
    expect(heard.at(-1)).toContain('"progress":3,"total":3');
    const asker = createAsker('{"elicitation":{}}', () => ({ kind: "result", json: '{"action":"decline"}' as never }));
    expect((await call(server, "trigger-elicitation-request", "{}", { asker })).json).toContain("declined");
    expect(asker.asked.map(({ method }) => method)).toContain("elicitation/create");
    const uri = resources[0]?.uri as string;
    server.watch(new Set([uri]));
    await call(server, "toggle-subscriber-updates");
    await expect.poll(() => updated, { timeout: 15_000 }).toContain(uri);
    await server.ping(5_000);
  }, 30_000);
});

describe("a server of the older SSE transport", () => {
  it("is spoken to over one stream, and its results come through byte for byte", async () => {
    const server = await connect(`${await startRaw()}/sse`, { transport: "sse" });
    expect(server).toMatchObject({ era: "legacy", serverVersion: "1" });
    expect((await call(server, "odd")).json).toBe(
      '{"content":[],"big":12345678901234567890123,"one":1.0,"☃":"\\u2603"}',
    );
    expect((await call(server, "lines")).json).toBe('{"content":[], "one":1.0}');
    const heard: string[] = [];
    await call(server, "steps", "{}", { listener: { progress: (text) => heard.push(text) } });
    expect(heard).toEqual(['"progress":1', '"progress":2']);
    const seen = await seenBy(server);
    expect(seen[0]).toBe("GET /sse");
    expect(seen).not.toContain("server/discover");
  });

  it("asks back over the stream and is answered by a POST", async () => {
    const server = await connect(`${await startRaw()}/sse`, { transport: "sse" });
    const asker = createAsker('{"elicitation":{}}');
    const answer = call(server, "ask", "{}", { asker });
    await expect.poll(() => asker.asked.map(({ params }) => params)).toEqual(['{"message":"who?"}']);
    asker.answer('{"action":"accept","content":{"n":1.0}}');
    expect((await answer).json).toBe('{"content":[],"answer":{"action":"accept","content":{"n":1}}}');
  });

  it("is cancelled by a notice, and the outcome is unknown", async () => {
    const server = await connect(`${await startRaw()}/sse`, {
      transport: "sse",
      limits: { ...LIMITS, timeoutMs: 300 },
    });
    await expect(call(server, "silent")).rejects.toMatchObject({
      kind: "indeterminate",
      details: { error: "timeout" },
    });
    expect(await seenBy(server)).toContain("notifications/cancelled");
  });

  it.each(["huge", "huge-lines"])("whose answer is too large fails that call alone (%s)", async (tool) => {
    const limits = { ...LIMITS, maxMessageBytes: 100_000 };
    const server = await connect(`${await startRaw()}/sse`, { transport: "sse", limits });
    await expect(call(server, tool, '{"bytes":400000}')).rejects.toMatchObject({
      kind: "upstream_failed",
      details: { reason: "message_too_large" },
    });
    expect((await call(server, "echo", '{"text":"still there"}')).json).toContain("still there");
  });

  it("whose answer is no UTF-8 fails that call alone", async () => {
    const server = await connect(`${await startRaw()}/sse`, { transport: "sse" });
    await expect(call(server, "not-utf8")).rejects.toMatchObject({ details: { reason: "not_utf8" } });
    expect((await call(server, "echo", '{"text":"still there"}')).json).toContain("still there");
  });

  it("whose stream is cut ends the connection, and what was sent is of unknown outcome", async () => {
    const server = await connect(`${await startRaw()}/sse`, { transport: "sse" });
    await expect(call(server, "cut")).rejects.toMatchObject({
      kind: "indeterminate",
      details: { error: "connection_lost" },
    });
    expect(await server.ended).toMatchObject({ authRejected: false });
    await expect(call(server, "echo")).rejects.toMatchObject({ kind: "not_ready" });
  });

  it("that rejects a POST fails that call; one that forgot its stream is connected anew", async () => {
    const server = await connect(`${await startRaw()}/sse`, { transport: "sse" });
    await expect(call(server, "status", '{"status":400}')).rejects.toMatchObject({ kind: "upstream_failed" });
    await expect(call(server, "status", '{"status":500}')).rejects.toMatchObject({ kind: "indeterminate" });
    expect((await call(server, "echo", '{"text":"x"}')).json).toContain("x");
    await expect(call(server, "status", '{"status":404}')).rejects.toMatchObject({ kind: "upstream_failed" });
    expect((await server.ended).reason).toContain("404");
  });

  it("may not send messages and credentials to another origin", async () => {
    const origin = await startRaw();
    const headers = { authorization: "Bearer right" };
    await expect(connect(`${origin}/elsewhere`, { transport: "sse", headers })).rejects.toThrow("its own origin");
  });

  it("gets the entry's credential with every request, and says when it is wrong", async () => {
    const origin = await startRaw();
    const wrong = { transport: "sse", headers: { authorization: "Bearer wrong" } } as const;
    await expect(connect(`${origin}/locked`, wrong)).rejects.toThrow(CredentialRejected);
    const server = await connect(`${origin}/locked`, { transport: "sse", headers: { authorization: "Bearer right" } });
    expect(await seenBy(server)).toContain("POST /message?session=1 Bearer right");
  });
});

describe("which transport is tried", () => {
  it("falls back where Streamable HTTP is not spoken, and remembers that the server is legacy", async () => {
    const learned: string[] = [];
    const eras = { known: null, learned: (era: string) => void learned.push(era) };
    const server = await connect(`${await startRaw()}/sse`, { eras });
    expect((await seenBy(server)).slice(0, 3)).toEqual(["POST /sse", "POST /sse", "GET /sse"]);
    expect(learned).toEqual(["legacy"]);
  });

  it("does not fall back from what says nothing of the transport, nor where the entry names one", async () => {
    const origin = await startRaw();
    await expect(connect(`${origin}/broken`)).rejects.toThrow("HTTP 503");
    await expect(connect(`${origin}/sse`, { transport: "streamable-http" })).rejects.toThrow("no Streamable HTTP");
    const server = await connect(`${origin}/sse`, { transport: "sse" });
    expect(await seenBy(server)).toEqual(expect.not.arrayContaining(["GET /broken"]));
    expect((await seenBy(server)).filter((line) => line.startsWith("GET"))).toEqual(["GET /sse"]);
  });

  it("says what was tried when neither is spoken", async () => {
    const { port, stop } = await startHttp([
      "-e",
      'const s=require("http").createServer((q,r)=>r.writeHead(404).end()).listen(0,()=>console.log(s.address().port))',
    ]);
    ending.push(stop);
    await expect(connect(`http://127.0.0.1:${port}/`)).rejects.toThrow(
      /no Streamable HTTP endpoint.*older SSE.*HTTP 404/,
    );
  });

  it("gives up a stream that never names its address when the start is called off", async () => {
    const { port, stop } = await startHttp([
      "-e",
      'const s=require("http").createServer((q,r)=>{r.writeHead(200,{"content-type":"text/event-stream"});r.flushHeaders()})' +
        ".listen(0,()=>console.log(s.address().port))",
    ]);
    ending.push(stop);
    const start = new AbortController();
    const opening = connect(`http://127.0.0.1:${port}/`, { transport: "sse", signal: start.signal });
    setTimeout(() => start.abort(new Error("called off")), 100);
    await expect(opening).rejects.toThrow("called off");
  });
});
