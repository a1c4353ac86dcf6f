import { describe, expect, it } from "vitest";
import type { Ending } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { caller, failure, openPath, result, wants } from "./path-for-tests.ts";

const DONE = result('{"content":[]}');
const FORM = '{"elicitation":{"form":{}}}';
const QUESTION =
  '{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"Who?","n":1.0}}},"requestState":"s\\u0031"}';
const signal = new AbortController().signal;

const errorOf = (ending: Ending): Record<string, any> => {
  if (ending.kind !== "error") throw new Error(`ended as ${ending.kind}`);
  return JSON.parse(ending.json) as Record<string, any>;
};
const wantedOf = (ending: Ending) => {
  if (ending.kind !== "input") throw new Error(`ended as ${ending.kind}`);
  return ending.wanted;
};
const types = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

describe("a legacy server asks while its call runs", () => {
  const asking = (method: "elicitation/create" | "sampling/createMessage" | "roots/list", params = "{}") =>
    openPath(async ({ asker }) => {
      const answer = await asker.ask({ method, params: rawJson(params), key: null }, signal);
      return result(`{"content":[],"heard":${answer.json}}`);
    });

  it("reaches the caller with the server's name before the question, and its answer goes back byte for byte", async () => {
    const path = asking("elicitation/create", '{ "message" : "Sure?", "x":1.0 }');
    const asker = caller(FORM, () => '{"action":"accept","content":{"n":1.0}}');
    const answer = await path.call({ asker });
    expect(asker.asked.map(({ params }) => params)).toEqual(['{ "message" : "p: Sure?", "x":1.0 }']);
    expect(answer.ending).toMatchObject({ json: '{"content":[],"heard":{"action":"accept","content":{"n":1.0}}}' });
  });

  it("keeps its own words on its own endpoint", async () => {
    const path = asking("elicitation/create", '{"message":"Sure?"}');
    const asker = caller(FORM);
    await path.call({ asker, provider: "p", name: "t" });
    expect(asker.asked[0]?.params).toBe('{"message":"Sure?"}');
  });

  it("is one call with one round in evidence, between intent and outcome", async () => {
    const path = asking("elicitation/create", '{"message":"Sure?"}');
    await path.call({ asker: caller(FORM) });
    expect(types(path.events)).toEqual(["execution_started", "dev.bailiwick.round", "execution_completed"]);
    expect(new Set(path.events.map((event) => event.invocationId)).size).toBe(1);
    const round = JSON.parse(path.events[1]?.payload ?? "") as Record<string, string>;
    expect(round["question_commitment"]).toMatch(/^[0-9a-f]{64}$/);
    expect(round["answer_commitment"]).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ["elicitation/create", '{"message":"m"}', "{}"],
    ["elicitation/create", '{"mode":"url","message":"m","url":"https://x"}', FORM],
    ["elicitation/create", '{"message":"m"}', '{"elicitation":{"url":{}}}'],
    ["sampling/createMessage", '{"messages":[]}', FORM],
    ["sampling/createMessage", '{"messages":[],"tools":[]}', '{"sampling":{}}'],
  ] as const)("hears -32601 and nobody is asked: %s %s of a caller with %s", async (method, params, declared) => {
    const path = asking(method, params);
    const asker = caller(declared);
    const { ending } = await path.call({ asker });
    expect(asker.asked).toEqual([]);
    expect(ending).toMatchObject({ kind: "result", isError: false });
    expect((ending as { json: string }).json).toContain('"code":-32601');
  });

  it.each([
    ["elicitation/create", '{"message":"m"}', '{"elicitation":{}}'],
    ["elicitation/create", '{"mode":"url","message":"m"}', '{"elicitation":{"url":{}}}'],
    ["sampling/createMessage", '{"messages":[],"tools":[]}', '{"sampling":{"tools":{}}}'],
    ["roots/list", "{}", '{"roots":{}}'],
  ] as const)("is asked: %s %s of a caller with %s", async (method, params, declared) => {
    const path = asking(method, params);
    const asker = caller(declared);
    await path.call({ asker });
    expect(asker.asked).toHaveLength(1);
  });

  it("gets the host's roots when the caller declared none", async () => {
    const { ending } = await asking("roots/list").call({ asker: caller("{}") });
    expect(ending).toMatchObject({ json: '{"content":[],"heard":{"roots":[]}}' });
  });

  it("gets cancel instead of the answer when the key was revoked while the question was out", async () => {
    let heard: unknown = null;
    const probe = openPath(async (request) => {
      heard = await request.asker.ask({ method: "elicitation/create", params: rawJson("{}"), key: null }, signal);
      return DONE;
    });
    const revoking = caller(FORM, () => {
      probe.admitted = false;
      return '{"action":"accept","content":{"secret":1}}';
    });
    expect((await probe.call({ asker: revoking })).ending).toMatchObject({
      kind: "refusal",
      refusal: { kind: "unauthenticated" },
    });
    expect(heard).toMatchObject({ kind: "result", json: '{"action":"cancel"}', withdraw: true });
  });
});

describe("a modern caller whose client lacks what the server needed", () => {
  it("hears -32021 with the capability and the server's words when the call then failed", async () => {
    const path = openPath(async ({ asker }) => {
      await asker.ask({ method: "sampling/createMessage", params: rawJson("{}"), key: null }, signal);
      return result('{"isError":true,"content":[{"type":"text","text":"no model"}]}');
    });
    const { ending, outcome } = await path.call({ asker: caller("{}", undefined, true) });
    expect(errorOf(ending)).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} }, upstream: { content: [{ text: "no model" }] } },
    });
    expect(outcome).toBe("failure");
  });

  it("gets the result when the server copes", async () => {
    const path = openPath(async ({ asker }) => {
      await asker.ask({ method: "sampling/createMessage", params: rawJson("{}"), key: null }, signal);
      return DONE;
    });
    expect((await path.call({ asker: caller("{}", undefined, true) })).ending).toMatchObject({ kind: "result" });
  });

  it("hears -32021 when a modern server asks for what it was not offered", async () => {
    const path = openPath(() => wants(QUESTION));
    const { ending } = await path.call({ asker: caller("{}", undefined, true) });
    expect(errorOf(ending)).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });
});

describe("a modern server wants answers first", () => {
  it("a caller that returns gets the questions and the state as they came, and the call stays open", async () => {
    const path = openPath(() => wants(QUESTION));
    const answer = await path.call({ asker: caller(FORM, undefined, true) });
    const wanted = wantedOf(answer.ending);
    expect(wanted.result).toBe(QUESTION.replace("Who?", "p: Who?"));
    expect(wanted.state).toBe('"s\\u0031"');
    expect(wanted.continues).toMatchObject({ kind: "relay", round: 1 });
    expect(answer.outcome).toBeNull();
    expect(types(path.events)).toEqual(["execution_started"]);
  });

  it("its return is part of the same call: one intent, one round, one outcome, each request sent once", async () => {
    const path = openPath((_, nth) => (nth === 1 ? wants(QUESTION) : DONE));
    const asker = caller(FORM, undefined, true);
    const { continues, state } = wantedOf((await path.call({ asker })).ending);
    const input = { responses: rawJson('{"who":{"action":"accept"}}'), state };
    const second = await path.call({ asker, continues, input });
    expect(second.outcome).toBe("success");
    expect(types(path.events)).toEqual(["execution_started", "dev.bailiwick.round", "execution_completed"]);
    expect(new Set(path.events.map((event) => event.invocationId)).size).toBe(1);
    expect(path.sent.map((request) => request.input)).toEqual([null, input]);
  });

  it("a state that is presented a second time is a call of its own, caused by the first", async () => {
    const path = openPath((_, nth) => (nth === 1 ? wants(QUESTION) : DONE));
    const asker = caller(FORM, undefined, true);
    const { continues, state } = wantedOf((await path.call({ asker })).ending);
    const input = { responses: rawJson("{}"), state };
    await path.call({ asker, continues, input });
    await path.call({ asker, continues, input });
    const last = path.events.slice(3);
    expect(types(last)).toEqual(["execution_started", "execution_completed"]);
    expect(last[0]?.correlation.causationId).toBe(continues.invocationId);
    expect(last[0]?.invocationId).not.toBe(continues.invocationId);
  });

  it("a caller that waits is asked, and the server gets answers and state in the next round", async () => {
    const path = openPath((_, nth) => (nth === 1 ? wants(QUESTION) : DONE));
    const { outcome } = await path.call({ asker: caller(FORM, () => '{"action":"accept","content":{"a":1.0}}') });
    expect(outcome).toBe("success");
    expect(path.sent[1]?.input).toEqual({
      responses: '{"who":{"action":"accept","content":{"a":1.0}}}',
      state: '"s\\u0031"',
    });
  });

  it("is not asked for ever", async () => {
    const path = openPath(() => wants(QUESTION));
    const { ending } = await path.call({ asker: caller(FORM) });
    expect(ending).toMatchObject({ kind: "refusal", refusal: { details: { error: "too_many_rounds" } } });
    expect(path.sent).toHaveLength(9);
  });

  it("a state without questions is taken along at once", async () => {
    const path = openPath((_, nth) => (nth === 1 ? wants('{"resultType":"input_required","requestState":"x"}') : DONE));
    await path.call();
    expect(path.sent[1]?.input).toEqual({ responses: null, state: '"x"' });
  });

  it.each([
    '{"resultType":"input_required"}',
    '{"resultType":"input_required","inputRequests":[]}',
    '{"resultType":"input_required","inputRequests":{"a":1}}',
    '{"resultType":"input_required","inputRequests":{"a":{"method":"tools/call"}}}',
    '{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list","params":[]}}}',
    '{"resultType":"input_required","requestState":5}',
  ])("is refused when its questions are none: %s", async (json) => {
    const { ending } = await openPath(() => wants(json)).call({ asker: caller('{"roots":{}}', undefined, true) });
    expect(ending).toMatchObject({ kind: "refusal", refusal: { kind: "upstream_failed" } });
  });

  it("a kind of result that the caller never declared is not passed on", async () => {
    const path = openPath(() => ({ ...wants('{"resultType":"odd"}'), resultType: "odd" }) as never);
    const { ending } = await path.call({ asker: caller("{}", undefined, true) });
    expect(ending).toMatchObject({ kind: "refusal", refusal: { details: { error: "unsupported_result_type" } } });
  });
});

describe("a legacy server wants a person to open a page first", () => {
  const required = failure(
    -32042,
    '{"elicitations":[{"mode":"url","message":"Sign in","url":"https://x/","elicitationId":"1"}]}',
  );

  it("becomes a question to a modern caller, and the same call is sent again when it returns", async () => {
    const path = openPath((_, nth) => (nth === 1 ? required : DONE));
    const asker = caller('{"elicitation":{"url":{}}}', undefined, true);
    const { continues, result: asked } = wantedOf((await path.call({ asker })).ending);
    expect(continues.kind).toBe("again");
    expect(JSON.parse(asked)).toMatchObject({
      resultType: "input_required",
      inputRequests: { e1: { params: { mode: "url", message: "p: Sign in" } } },
    });
    expect((await path.call({ asker, continues })).outcome).toBe("success");
    expect(path.sent[1]?.input).toBeNull();
  });

  it("stays the server's error for a legacy caller", async () => {
    const { ending } = await openPath(() => required).call({ asker: caller('{"elicitation":{"url":{}}}') });
    expect(errorOf(ending)["code"]).toBe(-32042);
  });

  it("is -32021 for a modern caller that cannot show pages", async () => {
    const { ending } = await openPath(() => required).call({ asker: caller(FORM, undefined, true) });
    expect(errorOf(ending)).toMatchObject({ code: -32021, data: { upstream: { code: -32042 } } });
  });
});

it("an answer after the call was given up is added to its evidence", async () => {
  const path = openPath((request) => {
    queueMicrotask(() => request.late()(result('{"content":["late"]}')));
    return DONE;
  });
  await path.call();
  await new Promise(setImmediate);
  expect(types(path.events)).toContain("dev.bailiwick.late_answer");
});
