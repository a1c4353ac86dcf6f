import { afterEach, describe, expect, it } from "vitest";
import { askError } from "../../kernel/ask.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { Connection, ConnectionEvents, ConnectionLimits } from "../connection.ts";
import { answersTo, createAsker, elicit, seenBy } from "./asker-for-tests.ts";
import { connectStdio } from "./connect-stdio.ts";
import { call, fixture, LIMITS, NO_EVENTS, startProcess, type TestProcess } from "./process-for-tests.ts";

const running: TestProcess[] = [];

interface Setting {
  readonly limits?: Partial<ConnectionLimits>;
  readonly events?: Partial<ConnectionEvents>;
}

const connect = async ({ limits = {}, events = {} }: Setting = {}): Promise<Connection> => {
  const child = startProcess([fixture("asking-server.mjs"), "stdio"]);
  running.push(child);
  return connectStdio(child, {
    limits: { ...LIMITS, ...limits },
    events: { ...NO_EVENTS, ...events },
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
};

const questions = (...all: readonly object[]): string => JSON.stringify({ questions: all });
const ROOTS = { id: "r", method: "roots/list" };
const SAMPLE = { id: 7, method: "sampling/createMessage", params: '{"messages":[],"maxTokens":5}' };

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => child.stop()));
});

describe("a question of a server", () => {
  it("reaches the caller as it was written, and the answer reaches the server as it was given", async () => {
    const server = await connect();
    const asker = createAsker("{}", () => ({
      kind: "result",
      json: rawJson('{"action":"accept",\n "content":{"n":1.0}}'),
    }));
    const hint = ',"_meta":{"dev.bailiwick/input-key":"user_name","keep":1.0}';
    const answer = await call(server, "ask", questions(elicit("q1", hint)), { asker });
    expect(asker.asked).toEqual([
      { method: "elicitation/create", params: '{"message":"q1","n":1.0,"_meta":{"keep":1.0}}', key: "user_name" },
    ]);
    expect(answer.json).toBe(
      '{"content":[],"replies":[{"jsonrpc":"2.0","id":"q1","result":{"action":"accept",  "content":{"n":1.0}}}]}',
    );
  });

  it("has no name of its own when the hint is none that may be one", async () => {
    const server = await connect();
    const asker = createAsker("{}", () => askError(-1, "no"));
    const hints = ['"a b"', "5", '""', JSON.stringify("x".repeat(65))];
    const asked = hints.map((hint, i) => elicit(`q${i}`, `,"_meta":{"dev.bailiwick/input-key":${hint}}`));
    const answer = await call(server, "ask", questions(...asked, ROOTS), { asker });
    expect(asker.asked.map(({ key }) => key)).toEqual([null, null, null, null, null]);
    expect(asker.asked[4]).toEqual({ method: "roots/list", params: "{}", key: null });
    expect(answer.json).toContain('{"jsonrpc":"2.0","id":"r","error":{"code":-1,"message":"no"}}');
  });

  it("may be one of several of its call, answered in any order", async () => {
    const server = await connect();
    const asker = createAsker();
    const answer = call(server, "ask", questions(elicit("a"), elicit("b"), SAMPLE), { asker });
    await expect.poll(() => asker.asked.length).toBe(3);
    for (const n of [1, 2, 3]) asker.answer(`{"n":${n}}`);
    const { replies } = JSON.parse((await answer).json) as { replies: unknown };
    expect(replies).toMatchObject([
      { id: "a", result: { n: 1 } },
      { id: "b", result: { n: 2 } },
      { id: 7, result: { n: 3 } },
    ]);
  });

  it("is refused when too many are open, or its id is", async () => {
    const server = await connect();
    const asker = createAsker();
    const many = Array.from({ length: 33 }, (_, i) => elicit(`q${i}`));
    const answer = call(server, "answer-while-asking", questions(...many, elicit("q0")), { asker });
    await answer;
    expect(asker.asked).toHaveLength(32);
    expect(await answersTo(server, "q32")).toMatchObject([{ error: { code: -32600 } }]);
    expect(await answersTo(server, "q0")).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }]);
  });

  it("is taken back by the server, which then hears nothing of it", async () => {
    const server = await connect();
    const asker = createAsker();
    await call(server, "withdraw", questions(elicit("q1")), { asker });
    await expect.poll(() => asker.aborted.length).toBe(1);
    expect(await answersTo(server, "q1")).toEqual([]);
  });

  it("ends with its call", async () => {
    const server = await connect();
    const asker = createAsker();
    expect((await call(server, "answer-while-asking", questions(elicit("q1")), { asker })).json).toContain("early");
    expect(asker.aborted).toHaveLength(1);
    await expect.poll(async () => (await answersTo(server, "q1")).length).toBe(1);
  });

  it("ends with the server, and an answer that comes then harms nobody", async () => {
    const server = await connect();
    const asker = createAsker();
    await expect(call(server, "die", questions(elicit("q1")), { asker })).rejects.toMatchObject({
      kind: "indeterminate",
      details: { error: "connection_lost" },
    });
    expect(asker.aborted).toHaveLength(1);
    asker.answer("{}");
    expect((await server.ended).reason).toBe("exited with code 5");
  });

  it("ends at once when the caller cancels, and one that comes then is not asked", async () => {
    const server = await connect();
    const asker = createAsker();
    const caller = new AbortController();
    const answer = call(server, "rounds", questions(elicit("q1"), elicit("q2")), { asker, signal: caller.signal });
    await expect.poll(() => asker.asked.length).toBe(1);
    caller.abort();
    const { replies } = JSON.parse((await answer).json) as { replies: unknown };
    expect(replies).toMatchObject([{ error: { code: -32600 } }, { id: "q2", result: { action: "cancel" } }]);
    expect(asker.asked).toHaveLength(1);
  });
});

describe("a server that asks beside all calls", () => {
  it("is told the host's roots, and that nobody is there for the rest", async () => {
    const server = await connect();
    await call(server, "ask-after", questions(ROOTS, elicit("q1"), SAMPLE));
    await expect.poll(async () => (await answersTo(server, 7)).length).toBe(1);
    expect(await answersTo(server, "r")).toMatchObject([{ result: { roots: [] } }]);
    expect(await answersTo(server, "q1")).toMatchObject([{ error: { code: -32600 } }]);
    expect(await answersTo(server, 7)).toMatchObject([{ error: { code: -32600 } }]);
  });

  it("is told the roots that the host names", async () => {
    const server = await connect({ events: { hostRoots: () => rawJson('{"roots":[{"uri":"file:///w"}]}') } });
    await call(server, "ask-after", questions(ROOTS));
    await expect.poll(() => answersTo(server, "r")).toMatchObject([{ result: { roots: [{ uri: "file:///w" }] } }]);
  });

  it("was told at the opening what can be asked", async () => {
    const [, opening] = await seenBy(await connect());
    expect(JSON.parse(opening ?? "")).toMatchObject({
      method: "initialize",
      params: {
        capabilities: {
          elicitation: { form: {}, url: {} },
          sampling: { tools: {} },
          roots: {},
          extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
        },
      },
    });
  });
});

describe("time", () => {
  it("stands still while a question is out, and begins anew with its answer", async () => {
    const server = await connect({ limits: { timeoutMs: 400, maxTimeoutMs: 800 } });
    const asker = createAsker();
    const answer = call(server, "rounds", questions(elicit("a"), elicit("b")), { asker });
    for (const count of [1, 2]) {
      await expect.poll(() => asker.asked.length).toBe(count);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      asker.answer("{}");
    }
    expect((await answer).kind).toBe("result");
    expect(asker.aborted).toEqual([]);
  });

  it("is over for a server that says nothing more after the answer", async () => {
    const server = await connect({ limits: { timeoutMs: 300 } });
    const asker = createAsker("{}", () => ({ kind: "result", json: rawJson("{}") }));
    const answer = call(server, "ask-then-silent", questions(elicit("a")), { asker });
    await expect(answer).rejects.toMatchObject({ kind: "indeterminate", details: { error: "timeout" } });
    expect(asker.asked).toHaveLength(1);
  }, 15_000);

  it("that is over does not lose an answer which still comes: it is handed on, once", async () => {
    const server = await connect({ limits: { timeoutMs: 200 } });
    const late: string[] = [];
    const given = call(server, "silent", "{}", {
      late:
        () =>
        ({ json }) =>
          late.push(json),
    });
    await expect(given).rejects.toMatchObject({ kind: "indeterminate", details: { error: "timeout" } });
    expect(late).toEqual([]);
    await call(server, "release");
    expect(late).toEqual(['{"content":[],"released":true}']);
  }, 15_000);
});
