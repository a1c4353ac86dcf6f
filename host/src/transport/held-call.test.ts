import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ask, AskAnswer, AskMethod, Declared } from "../kernel/ask.ts";
import type { Answer } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { SILENT } from "./call-notices.ts";
import { canBeAsked } from "./can-be-asked.ts";
import { HeldCall, type Turn } from "./held-call.ts";
import { HeldCalls } from "./held-calls.ts";
import { readInputResponses } from "./input-responses.ts";
import { RequestStates, type OpenedState } from "./request-state.ts";
import { makeSeals } from "./seals-for-tests.ts";

const declare = (value: Record<string, unknown>): Declared => ({ json: rawJson(JSON.stringify(value)), value });
const ALL = declare({ elicitation: { form: {}, url: {} }, sampling: {}, roots: {} });
const HOLD_MS = 600_000;
const SHOWN = { kind: "bearer", token: "first" } as const;

const open = (owner = "a", table = new HeldCalls<HeldCall>(HOLD_MS), chars = 100) => {
  const states = new RequestStates(makeSeals());
  const abort = new AbortController();
  const bond = { owner, endpoint: null, digest: "d" };
  const first = { scopes: null, declared: ALL, listener: SILENT, presented: SHOWN };
  const call = new HeldCall({ table, states, owner, chars, bond: () => bond, abort, ...first });
  let end: (answer: Answer) => void = () => {};
  const running = new Promise<Answer>((resolve) => (end = resolve));
  const ask = (key: string | null, method: AskMethod = "elicitation/create", signal = abort.signal) =>
    call.ask({ method, key, params: rawJson(`{"key":${JSON.stringify(key)}}`) }, signal);
  const nonceOf = (turn: Turn): string => {
    const { requestState } = JSON.parse(turn.kind === "questions" ? turn.json : "{}") as { requestState: string };
    return (states.open(requestState, bond) as Extract<OpenedState, { kind: "held" }>).nonce;
  };
  const resume = (turn: Turn, answers: object, declared = ALL) => {
    const taken = table.take(nonceOf(turn));
    const attendance = { declared, listener: SILENT, presented: SHOWN };
    return taken && taken.resume(attendance, readInputResponses(rawJson(JSON.stringify(answers))));
  };
  return { table, call, abort, ask, resume, first: call.start(running), end: (answer = ANSWER) => end(answer) };
};
const ANSWER = { outcome: "success", ending: { kind: "result", json: "{}" } } as Answer;
const keysOf = (turn: Turn): string[] =>
  turn.kind === "questions" ? Object.keys((JSON.parse(turn.json) as { inputRequests: object }).inputRequests) : [];
const accept = { action: "accept", content: { a: 1 } };
const CANCEL: AskAnswer = { kind: "result", json: rawJson('{"action":"cancel"}') };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("questions", () => {
  it("of one moment go out together, later ones in the next round", async () => {
    const { call, ask, first, resume, end } = open();
    const answers = [ask("name"), ask(null, "sampling/createMessage")];
    await vi.advanceTimersByTimeAsync(24);
    answers.push(ask(null, "roots/list"));
    expect(call.held()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const turn = await first;
    expect(keysOf(turn)).toEqual(["name", "s1", "r2"]);
    expect(call.held()).toBe(true);
    void ask("late");
    const second = resume(turn, { name: accept, s1: { role: "assistant" }, r2: { roots: [] }, other: 7 });
    expect((await Promise.all(answers)).map(({ json }) => json)).toEqual([
      '{"action":"accept","content":{"a":1}}',
      '{"role":"assistant"}',
      '{"roots":[]}',
    ]);
    expect(call.held()).toBe(false);
    await vi.advanceTimersByTimeAsync(25);
    expect(keysOf((await second)!)).toEqual(["late"]);
    end();
  });

  it.each([
    ["name", ["name"]],
    ["A.b_c-9", ["A.b_c-9"]],
    ["", ["e1"]],
    ["a b", ["e1"]],
    ["x".repeat(65), ["e1"]],
    ["__proto__", ["e1"]],
    ['"', ["e1"]],
  ])("may name their key %j", async (key, keys) => {
    const { ask, first } = open();
    void ask(key);
    await vi.advanceTimersByTimeAsync(25);
    expect(keysOf(await first)).toEqual(keys);
  });

  it("never share a key", async () => {
    const { ask, first } = open();
    for (const key of ["e1", "e1", null, "x", "x"]) void ask(key);
    await vi.advanceTimersByTimeAsync(25);
    expect(keysOf(await first)).toEqual(["e1", "e2", "e3", "x", "e4"]);
  });

  it("are asked again when the answer is missing or has the wrong shape, and only those", async () => {
    const { ask, first, resume } = open();
    const good = ask("good");
    for (const key of ["missing", "number", "list", "action"]) void ask(key);
    void ask("sample", "sampling/createMessage");
    await vi.advanceTimersByTimeAsync(25);
    const wrong = { number: 12345, list: [], action: { action: "yes" }, sample: "x", unknown: accept };
    const second = resume(await first, { good: { action: "decline" }, ...wrong });
    expect((await good).json).toBe('{"action":"decline"}');
    await vi.advanceTimersByTimeAsync(25);
    expect(keysOf((await second)!)).toEqual(["missing", "number", "list", "action", "sample"]);
  });

  it("that were not shown cannot be answered by guessing their key", async () => {
    const { ask, first, resume } = open();
    const shown = ask(null);
    await vi.advanceTimersByTimeAsync(25);
    const turn = await first;
    const hidden = vi.fn();
    void ask(null).then(hidden);
    const second = resume(turn, { e1: accept, e2: accept });
    await shown;
    await vi.advanceTimersByTimeAsync(25);
    expect(keysOf((await second)!)).toEqual(["e2"]);
    expect(hidden).not.toHaveBeenCalled();
  });

  it("that the server takes back are not asked", async () => {
    const { ask, first, end } = open();
    const server = new AbortController();
    const taken = ask("a", "elicitation/create", server.signal);
    server.abort();
    expect(await taken).toMatchObject(CANCEL);
    await vi.advanceTimersByTimeAsync(100);
    end();
    expect(await first).toEqual({ kind: "answer", answer: ANSWER });
  });

  it("are not asked of a retry that no longer declares them", async () => {
    const { ask, first, resume, end } = open();
    const asked = ask("a");
    await vi.advanceTimersByTimeAsync(25);
    const second = resume(await first, {}, declare({ sampling: {} }));
    await vi.advanceTimersByTimeAsync(25);
    expect(await asked).toMatchObject({ kind: "error", code: -32601 });
    end();
    expect(await second).toMatchObject({ kind: "answer" });
  });

  it("of a kind that the retry no longer declares are not asked of it", async () => {
    const { call, ask, first, resume, abort } = open();
    const page = { method: "elicitation/create", key: "page", params: rawJson('{"mode":"url","url":"https://x/"}') };
    const opened = call.ask(page as Ask, abort.signal);
    void ask("form");
    await vi.advanceTimersByTimeAsync(25);
    const second = resume(await first, {}, declare({ elicitation: { form: {} } }));
    await vi.advanceTimersByTimeAsync(25);
    expect(await opened).toMatchObject({ kind: "error", code: -32601 });
    expect(keysOf((await second)!)).toEqual(["form"]);
  });

  it("are bounded in number and size", async () => {
    const { call, ask, first, abort } = open();
    for (let i = 0; i < 64; i++) void ask(null);
    expect(await ask(null)).toMatchObject(CANCEL);
    await vi.advanceTimersByTimeAsync(25);
    expect(keysOf(await first)).toHaveLength(64);
    const big = open();
    const params = rawJson(`"${"x".repeat(4_194_304)}"`);
    expect(await big.call.ask({ method: "roots/list", key: null, params }, abort.signal)).toMatchObject({
      code: -32603,
    });
    call.abandon();
  });
});

describe("a parked call", () => {
  it("that ends meanwhile is delivered on the retry", async () => {
    const { ask, first, resume, end, call } = open();
    void ask("a");
    await vi.advanceTimersByTimeAsync(25);
    end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(call.held()).toBe(false);
    expect(await resume(await first, {})).toEqual({ kind: "answer", answer: ANSWER });
  });

  it("whose results would fill the memory says so instead", async () => {
    const table = new HeldCalls<HeldCall>(HOLD_MS);
    const big = { ...ANSWER, ending: { kind: "result", json: rawJson(`"${"x".repeat(40_000_000)}"`), isError: false } };
    const ended = async () => {
      const held = open("a", table);
      void held.ask("a");
      await vi.advanceTimersByTimeAsync(25);
      held.end(big as Answer);
      await vi.advanceTimersByTimeAsync(1);
      return async () => ((await held.resume(await held.first, {})) as Extract<Turn, { kind: "answer" }>).answer.ending;
    };
    const [one, two] = [await ended(), await ended()];
    expect(await two()).toMatchObject({ kind: "refusal", refusal: { kind: "too_large" } });
    expect(await one()).toBe(big.ending);
    expect(await (await ended())()).toBe(big.ending);
  });

  it("whose request would fill the memory goes on without an answer", async () => {
    const table = new HeldCalls<HeldCall>(HOLD_MS);
    const [first, second] = [open("a", table, 40_000_000), open("b", table, 40_000_000)];
    const asked = [first.ask("a"), second.ask("a")];
    await vi.advanceTimersByTimeAsync(25);
    expect(await first.first).toMatchObject({ kind: "questions" });
    expect(await asked[1]).toMatchObject({ json: '{"action":"cancel"}' });
    expect(table.size).toBe(1);
  });

  it("ends with its time: questions withdrawn first, then the call", async () => {
    const { ask, first, abort, table } = open();
    const asked = [ask("a"), ask("b", "sampling/createMessage")];
    await vi.advanceTimersByTimeAsync(25);
    await first;
    expect(table.size).toBe(1);
    await vi.advanceTimersByTimeAsync(HOLD_MS);
    expect(await asked[0]).toMatchObject(CANCEL);
    expect(await asked[1]).toMatchObject({ kind: "error", code: -32603 });
    expect([table.size, abort.signal.aborted]).toEqual([0, false]);
    expect(await ask("more")).toMatchObject(CANCEL);
    await vi.advanceTimersByTimeAsync(1000);
    expect(abort.signal.reason).toMatchObject({ kind: "cancelled" });
  });

  it("that ends by itself once its questions are withdrawn is not cancelled", async () => {
    const { ask, first, abort, table, end } = open();
    void ask("a").then(() => end());
    await vi.advanceTimersByTimeAsync(25);
    await first;
    table.close();
    await vi.advanceTimersByTimeAsync(5000);
    expect(abort.signal.aborted).toBe(false);
  });

  it("can be taken once", async () => {
    const { ask, first, resume, end } = open();
    void ask("a");
    await vi.advanceTimersByTimeAsync(25);
    const turn = await first;
    expect(resume(turn, { a: accept })).not.toBeNull();
    expect(resume(turn, { a: accept })).toBeNull();
    end();
  });

  it("is cancelled when the caller leaves its retry, and its questions are withdrawn", async () => {
    const { ask, first, resume, abort, call } = open();
    void ask("a");
    await vi.advanceTimersByTimeAsync(25);
    void resume(await first, { a: accept });
    const next = ask("b");
    call.abort.abort(new Refusal("cancelled", { message: "Left.", next: "Repeat." }));
    expect(abort.signal.aborted).toBe(true);
    expect(await next).toMatchObject(CANCEL);
  });

  it("finds no place above 64 of a principal or 1 000 of a host, and then goes on without an answer", async () => {
    const table = new HeldCalls<HeldCall>(HOLD_MS);
    const parkOne = async (owner: string): Promise<ReturnType<typeof open>> => {
      const held = open(owner, table);
      void held.ask("a");
      await vi.advanceTimersByTimeAsync(25);
      return held;
    };
    for (let i = 0; i < 64; i++) await parkOne("a");
    const over = open("a", table);
    const asked = over.ask("a");
    await vi.advanceTimersByTimeAsync(25);
    expect(await asked).toMatchObject(CANCEL);
    expect(table.size).toBe(64);
    for (let i = 64; i < 1000; i++) await parkOne(`o${i}`);
    const last = open("z", table);
    const none = last.ask("a");
    await vi.advanceTimersByTimeAsync(25);
    expect(await none).toMatchObject(CANCEL);
    last.end();
    expect(await last.first).toMatchObject({ kind: "answer" });
    table.close();
    expect(table.size).toBe(0);
  });
});

it("only callers that declared something askable are held", () => {
  expect(canBeAsked(declare({}))).toBe(false);
  expect(canBeAsked(declare({ extensions: { "io.modelcontextprotocol/ui": {} } }))).toBe(false);
  for (const one of ["elicitation", "sampling", "roots"]) expect(canBeAsked(declare({ [one]: {} }))).toBe(true);
});
