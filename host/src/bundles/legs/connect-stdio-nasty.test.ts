import { afterEach, describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import type { Connection, ConnectionLimits } from "../connection.ts";
import { connectStdio } from "./connect-stdio.ts";
import { call, fixture, LIMITS, NO_EVENTS, startProcess, type TestProcess } from "./process-for-tests.ts";

const running: TestProcess[] = [];
const never = new AbortController().signal;

const connect = async (
  limits: Partial<ConnectionLimits> = {},
  listChanged = (): void => {},
): Promise<{ server: Connection; child: TestProcess }> => {
  const child = startProcess([fixture("raw-server.mjs")]);
  running.push(child);
  const options = {
    limits: { ...LIMITS, ...limits },
    events: { ...NO_EVENTS, listChanged },
    signal: never,
    hostVersion: "0",
  };
  return { child, server: await connectStdio(child, options) };
};

const refusalOf = async (answer: Promise<unknown>): Promise<Refusal> => {
  const said = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  expect(said).toBeInstanceOf(Refusal);
  return said as Refusal;
};

interface State {
  readonly calls: { id: number; params: { name: string; _meta: unknown } }[];
  readonly cancelled: { requestId: number }[];
}
const stateOf = async (server: Connection): Promise<State> => JSON.parse((await call(server, "state")).json) as State;

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => child.stop()));
});

describe("what a server writes", () => {
  it("arrives byte for byte: odd numbers, unknown fields and blocks, escapes, repeated members", async () => {
    const { server } = await connect();
    const { ODD_RESULT } = (await import(fixture("raw-odd-result.mjs"))) as { ODD_RESULT: string };
    expect((await call(server, "odd")).json).toBe(ODD_RESULT);
    expect((await call(server, "result-first")).json).toBe('{"content":[]}');
    expect(await call(server, "tool-error")).toMatchObject({ kind: "result", isError: true });
    expect(await call(server, "rpc-error")).toMatchObject({
      kind: "error",
      code: -32602,
      json: '{"code":-32602,"message":"no","data":{"n":1.0}, "more":[]}',
    });
  });

  it("may come one byte at a time, between garbage, or with ids that nobody asked for", async () => {
    const { server, child } = await connect();
    expect((await call(server, "half-line")).json).toContain("☃");
    expect((await call(server, "garbage")).json).toBe('{"content":[]}');
    expect(child.noted).toEqual(["this is a log line on stdout", "[1,2,3]", "{", '"\uFFFD\uFFFD"']);
    expect((await call(server, "unknown-ids")).json).toBe('{"content":[]}');
    expect((await call(server, "echo", '{"text":"still here"}')).json).toContain("still here");
  });

  it("costs one call when it is too large, and the connection lives", async () => {
    const { server } = await connect({ maxMessageBytes: 100_000 });
    const first = await refusalOf(call(server, "huge-id-first", '{"bytes":3000000}'));
    expect(first).toMatchObject({ kind: "upstream_failed", details: { reason: "message_too_large" } });
    const second = await refusalOf(call(server, "huge-id-last", '{"bytes":3000000}'));
    expect(second).toMatchObject({ kind: "upstream_failed", details: { reason: "message_too_large" } });
    expect((await call(server, "echo", '{"text":"fine"}')).json).toContain("fine");
  });

  it("fails the call when it is no answer of MCP", async () => {
    const { server } = await connect();
    expect(await refusalOf(call(server, "malformed"))).toMatchObject({
      kind: "upstream_failed",
      details: { reason: "malformed" },
    });
  });

  it("brings progress, logs and change notices to whom they concern", async () => {
    let changes = 0;
    const { server } = await connect({}, () => changes++);
    const heard: string[] = [];
    const listener = { progress: (text: string) => heard.push(text), log: (text: string) => heard.push(text) };
    await call(server, "progress", '{"steps":2,"ms":1}', { listener });
    await call(server, "log", "{}", { listener });
    await call(server, "changed");
    expect(heard).toEqual([
      '"progress":1.0,"total":2,"extra":[1.0]',
      '"progress":2.0,"total":2,"extra":[1.0]',
      '"level":"info","data":"hello","logger":"raw"',
    ]);
    expect(changes).toBe(1);
  });

  it("is answered when it asks: pings yes, what was not declared no", async () => {
    const { server } = await connect();
    const { replies } = JSON.parse((await call(server, "ask")).json) as { replies: unknown[] };
    expect(replies).toMatchObject([
      { id: "p1", result: {} },
      { id: 5, error: { code: -32601 } },
      { id: "s1", error: { code: -32601 } },
    ]);
  });

  it("is listed without its broken entries, which are named", async () => {
    const { server } = await connect();
    const catalogue = await server.list(never);
    expect(catalogue.tools[0]?.json).toBe('{"name":"echo","inputSchema":{"type":"object"},"x":1.0}');
    expect(catalogue.defects).toEqual([
      "tools/list: the server repeated a cursor; the rest is left out",
      '"echo" stands in the list twice; the first one counts',
      "a tool has no usable name",
      "an entry is not an object",
      'tool "no-schema" has no inputSchema of type object',
      '"twice" repeats a member at /title',
      "prompts/list failed: prompts are broken (-32603)",
    ]);
  });
});

describe("the end of a server", () => {
  it("makes a call in flight indeterminate and names the exit", async () => {
    const { server } = await connect();
    const other = refusalOf(call(server, "silent"));
    expect(await refusalOf(call(server, "exit-mid-call"))).toMatchObject({
      kind: "indeterminate",
      details: { error: "connection_lost" },
      message: expect.stringContaining("exited with code 7") as string,
    });
    expect((await other).kind).toBe("indeterminate");
    expect(await server.ended).toEqual({ reason: "exited with code 7", authRejected: false });
    expect((await refusalOf(call(server, "echo"))).kind).toBe("not_ready");
  });

  it("is noticed when only its output is closed", async () => {
    const { server } = await connect();
    expect((await refusalOf(call(server, "close-stdout"))).kind).toBe("indeterminate");
    expect((await server.ended).reason).toBe("the server closed its output");
  });

  it("does not swallow its last words", async () => {
    const { server } = await connect();
    expect((await call(server, "answer-then-exit")).json).toContain("words");
  });

  it("can be asked for", async () => {
    const { server } = await connect();
    const answer = refusalOf(call(server, "silent"));
    await server.close("stopped by a person");
    expect((await answer).kind).toBe("indeterminate");
    expect(await server.ended).toEqual({ reason: "stopped by a person", authRejected: false });
  });
});

describe("giving up", () => {
  it("sends nothing of a call that was cancelled before", async () => {
    const { server } = await connect();
    expect((await refusalOf(call(server, "echo", "{}", { signal: AbortSignal.abort() }))).kind).toBe("cancelled");
    expect((await stateOf(server)).calls.map(({ params }) => params.name)).toEqual(["state"]);
  });

  it("tells the server, and takes the answer that still comes", async () => {
    const { server } = await connect();
    const caller = new AbortController();
    const answer = call(server, "answer-after-cancel", "{}", { signal: caller.signal });
    await stateOf(server);
    caller.abort();
    expect((await answer).json).toContain('"late":true');
    const { calls, cancelled } = await stateOf(server);
    expect(cancelled).toMatchObject([{ requestId: calls[0]?.id }]);
  });

  it("is of unknown outcome when no answer comes, for a cancellation and for a time-out", async () => {
    const { server } = await connect({ timeoutMs: 200 });
    const caller = new AbortController();
    const cancelled = refusalOf(call(server, "silent", "{}", { signal: caller.signal }));
    const timedOut = refusalOf(call(server, "silent"));
    caller.abort();
    expect(await cancelled).toMatchObject({ kind: "indeterminate", details: { error: "cancelled" } });
    expect(await timedOut).toMatchObject({ kind: "indeterminate", details: { error: "timeout" } });
    expect((await stateOf(server)).cancelled).toHaveLength(2);
    expect(server.inFlight()).toBe(0);
  });

  it("does not happen while the server shows signs of life", async () => {
    const { server } = await connect({ timeoutMs: 1_500 });
    await call(server, "progress", '{"steps":20,"ms":100}');
    expect((await stateOf(server)).cancelled).toEqual([]);
  });

  it("happens in spite of them after the longest time", async () => {
    const { server } = await connect({ timeoutMs: 400, maxTimeoutMs: 600 });
    await call(server, "progress", '{"steps":12,"ms":100}');
    expect((await stateOf(server)).cancelled).toHaveLength(1);
  });

  it("happens after the time of the tool, where it has one of its own, be it less or more", async () => {
    const { server } = await connect({ timeoutMs: 400 });
    await call(server, "progress", '{"steps":12,"ms":100}', { limitMs: 600 });
    expect((await stateOf(server)).cancelled).toHaveLength(1);
    await call(server, "progress", '{"steps":2,"ms":600}', { limitMs: 20_000 });
    expect((await stateOf(server)).cancelled).toHaveLength(1);
  });
});

describe("many calls", () => {
  it("go out up to the limit, the rest waits and is refused when the queue is full", async () => {
    const { server } = await connect({ concurrency: 2, queue: 2 });
    const caller = new AbortController();
    const held = [1, 2].map(() => call(server, "answer-after-cancel", "{}", { signal: caller.signal }));
    const waiting = call(server, "echo", '{"text":"waited"}');
    const dropped = new AbortController();
    const cancelled = refusalOf(call(server, "echo", "{}", { signal: dropped.signal }));
    expect(await refusalOf(call(server, "echo"))).toMatchObject({ kind: "not_ready", retryAfterMs: 1_000 });
    expect(server.inFlight()).toBe(4);
    dropped.abort();
    expect((await cancelled).kind).toBe("cancelled");
    caller.abort();
    expect((await Promise.all(held)).map((answer) => answer.kind)).toEqual(["result", "result"]);
    expect((await waiting).json).toContain("waited");
  });

  it("are each answered with their own result, also when the pipe is full", async () => {
    const { server } = await connect();
    const text = "x".repeat(20_000);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => call(server, "echo", JSON.stringify({ text: `${i}:${text}` }))),
    );
    answers.forEach((answer, i) => expect(answer.json).toContain(`"${i}:x`));
  });

  it("wait in the queue, not in the pipe, of a server that does not read", async () => {
    const { server, child } = await connect();
    child.child.kill("SIGSTOP");
    const big = JSON.stringify({ text: "x".repeat(1_000_000) });
    const sent = call(server, "echo", big);
    await new Promise((resolve) => setImmediate(resolve));
    const caller = new AbortController();
    const queued = refusalOf(call(server, "echo", big, { signal: caller.signal }));
    caller.abort();
    expect((await queued).kind).toBe("cancelled");
    child.child.kill("SIGCONT");
    expect((await sent).kind).toBe("result");
  });
});
