import { request } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HandleCall, RawCall } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { answerWith, askingCall, type AskedFor } from "./asking-call-for-tests.ts";
import { knock, modern, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, type TestDoor, type TestDoorOptions } from "./door-for-tests.ts";
import { META_CAPABILITIES } from "./protocol.ts";
import { makeSeals } from "./seals-for-tests.ts";

const doors: TestDoor[] = [];
const open = async (handleCall: HandleCall = askingCall, options: TestDoorOptions = {}): Promise<TestDoor> => {
  const door = await openTestDoor({ handleCall, ...options });
  doors.push(door);
  return door;
};
afterEach(async () => {
  for (const door of doors.splice(0)) {
    await door.listener.close();
    expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 });
  }
});

const DECLARED = { elicitation: {}, sampling: {}, roots: {} };
const asking = (rounds: AskedFor[][], more: object = {}): Record<string, unknown> => ({
  name: "t",
  arguments: { rounds },
  ...more,
});
const call = (
  door: TestDoor,
  params: Record<string, unknown>,
  headers: Record<string, string> = {},
  method = "tools/call",
) => {
  const _meta = { [META_CAPABILITIES]: DECLARED, ...(params["_meta"] as object) };
  return knock(door.origin, modern(method, { ...params, _meta }, headers));
};
const stateOf = (said: Said): string => said.json.result.requestState as string;
const accept = { action: "accept", content: { name: "x" } };
const reasonOf = (said: Said): unknown => said.json.error?.data?.reason;

describe("a question", () => {
  it("ends the request as input_required, and the retry gets the result", async () => {
    const door = await open();
    const params = asking([[{ key: "name", message: "Who?" }]]);
    const first = await call(door, params);
    expect(first).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(first.text).toContain('"name":{"method":"elicitation/create","params":{"message":"Who?","n":1.0,');
    expect(Object.keys(first.json.result)).toEqual(["resultType", "inputRequests", "requestState"]);
    expect(stateOf(first)).toMatch(/^bw1\./);
    const body = JSON.stringify(modern("tools/call", { ...params, requestState: stateOf(first) }).body);
    const spliced = body.replace(
      '"requestState"',
      '"inputResponses":{"name":{"action":"accept","n":1.0}},"requestState"',
    );
    const last = await knock(door.origin, { headers: modern("tools/call", params).headers!, body: spliced });
    expect(last.text).toContain('"result":{"resultType":"complete","content":[],"said":[{"action":"accept","n":1.0}]}');
    expect(door.calls).toHaveLength(1);
  });

  it("may be followed by others: each round has its own state, which works once", async () => {
    const door = await open();
    const params = asking([[{ key: "a" }, { method: "sampling/createMessage" }], [{ key: "b" }]]);
    const first = await call(door, params);
    expect(Object.keys(first.json.result.inputRequests)).toEqual(["a", "s1"]);
    const answers = { a: accept, s1: { role: "assistant" } };
    const second = await call(door, { ...params, inputResponses: answers, requestState: stateOf(first) });
    expect(Object.keys(second.json.result.inputRequests)).toEqual(["b"]);
    expect(stateOf(second)).not.toBe(stateOf(first));
    const stale = await call(door, { ...params, inputResponses: { b: accept }, requestState: stateOf(first) });
    expect(stale.json.error).toMatchObject({ code: -32602, data: { reason: "invalid_request_state" } });
    const last = await call(door, { ...params, inputResponses: { b: accept }, requestState: stateOf(second) });
    expect(last.json.result.said).toEqual([accept, { role: "assistant" }, accept]);
    const repeated = await call(door, { ...params, inputResponses: { b: accept }, requestState: stateOf(second) });
    expect(reasonOf(repeated)).toBe("invalid_request_state");
    expect(door.calls).toHaveLength(1);
  });

  it("is asked again where its answer is missing or no answer; what nobody asked is ignored", async () => {
    const door = await open();
    const params = asking([[{ key: "a" }]]);
    let said = await call(door, params);
    for (const inputResponses of [undefined, {}, { wrong: accept }, { a: 12345 }, { a: { action: "maybe" } }]) {
      const state = stateOf(said);
      said = await call(door, { ...params, ...(inputResponses && { inputResponses }), requestState: state });
      expect(said.json.result).toMatchObject({ resultType: "input_required", inputRequests: { a: {} } });
      expect(stateOf(said)).not.toBe(state);
    }
    said = await call(door, { ...params, inputResponses: { a: accept, more: 1 }, requestState: stateOf(said) });
    expect(said.json.result.said).toEqual([accept]);
  });

  it("is never asked of a caller that declared nothing", async () => {
    const door = await open();
    const said = await knock(door.origin, modern("tools/call", asking([[{ key: "a" }]])));
    expect(said.json.result.said).toMatchObject([{ code: -32601 }]);
    expect(door.calls[0]?.asker).toMatchObject({ returns: true, declared: { json: "{}" } });
  });

  it("leaves answers that are no object, and then the state is still good", async () => {
    const door = await open();
    const params = asking([[{ key: "a" }]]);
    const first = await call(door, params);
    for (const inputResponses of [null, [], "x", 7]) {
      const said = await call(door, { ...params, inputResponses, requestState: stateOf(first) });
      expect(said.json.error).toMatchObject({ code: -32602 });
      expect(reasonOf(said)).toBeUndefined();
    }
    const last = await call(door, { ...params, inputResponses: { a: accept }, requestState: stateOf(first) });
    expect(last.json.result.said).toEqual([accept]);
  });
});

describe("a held call", () => {
  it("is found by nobody else and by no other request", async () => {
    const door = await open();
    const params = asking([[{ key: "a", message: "private" }]]);
    const first = await call(door, params);
    const retry = { ...params, inputResponses: { a: accept }, requestState: stateOf(first) };
    const other = { authorization: `Bearer ${OTHER}` };
    const tries = [
      await call(door, retry, other),
      await call(door, { ...retry, name: "u" }),
      await call(door, { ...retry, arguments: { rounds: [] } }),
      await call(door, retry, {}, "prompts/get"),
      await knock(door.origin, { ...modern("tools/call", retry), path: "/mcp/providers/p" }),
      await call(door, { ...retry, requestState: `${stateOf(first)}-TAMPERED` }),
      await call(door, { ...retry, requestState: 7 }),
      await call(door, { ...retry, requestState: null }),
    ];
    const errors = tries.map((said) => JSON.stringify({ ...said.json.error }));
    expect(new Set(errors).size).toBe(1);
    expect(reasonOf(tries[0]!)).toBe("invalid_request_state");
    expect(errors[0]).not.toContain("private");
    expect(door.statesRejected).toEqual([
      "person:other principal",
      "person:owner request",
      "person:owner request",
      "person:owner request",
      "person:owner endpoint",
      ...Array.from({ length: 3 }, () => "person:owner seal"),
    ]);
    expect((await call(door, retry)).json.result.said).toEqual([accept]);
  });

  it("is gone after a restart, and the caller is told so", async () => {
    const seals = makeSeals();
    const [before, after] = [await open(askingCall, { seals }), await open(askingCall, { seals })];
    const params = asking([[{ key: "a" }]]);
    const retry = { ...params, inputResponses: { a: accept }, requestState: stateOf(await call(before, params)) };
    expect(reasonOf(await call(after, retry))).toBe("hold_lost");
    expect(reasonOf(await call(after, retry, { authorization: `Bearer ${OTHER}` }))).toBe("invalid_request_state");
  });

  it("ends with its time", async () => {
    const door = await open(askingCall, { limits: { holdSeconds: 1 } });
    const params = asking([[{ key: "a" }]]);
    const first = await call(door, params);
    expect(door.listener.load().calls).toBe(1);
    await vi.waitFor(() => expect(door.listener.load().calls).toBe(0), { timeout: 10_000 });
    const late = await call(door, { ...params, inputResponses: { a: accept }, requestState: stateOf(first) });
    expect(reasonOf(late)).toBe("expired");
  });

  it("that ended meanwhile is delivered on the retry", async () => {
    const door = await open(async (raw) => {
      void raw.asker.ask({ method: "roots/list", key: "r", params: rawJson("{}") }, raw.signal);
      await vi.waitFor(() => expect(raw.asker.held()).toBe(true), { timeout: 5000 });
      return answerWith('{"content":[],"early":true}');
    });
    const first = await call(door, { name: "t" });
    await vi.waitFor(() => expect(door.listener.load().calls).toBe(0), { timeout: 5000 });
    const last = await call(door, { name: "t", requestState: stateOf(first) });
    expect(last.json.result).toMatchObject({ resultType: "complete", early: true });
  });

  it("tells the retry its progress, under the retry's token", async () => {
    const door = await open();
    const params = { name: "t", arguments: { chatty: true, rounds: [[{ key: "a" }], [{ key: "b" }]] } };
    const first = await call(door, { ...params, _meta: { progressToken: "one" } });
    const inputResponses = { a: accept };
    const _meta = { progressToken: "two" };
    const second = await call(door, { ...params, _meta, inputResponses, requestState: stateOf(first) });
    const [progress, asked] = second.json as any[];
    expect(progress.params).toEqual({ progressToken: "two", progress: 1 });
    const state = asked.result.requestState as string;
    const last = await call(door, { ...params, inputResponses: { b: accept }, requestState: state });
    expect(last.json.result.said).toEqual([accept, accept]);
  });

  it("is cancelled when the retry's response is closed, and by nothing before", async () => {
    const done: unknown[] = [];
    const door = await open(async (raw) => {
      const said = await raw.asker.ask({ method: "roots/list", key: "r", params: rawJson("{}") }, raw.signal);
      done.push(said.kind);
      await new Promise((resolve) => raw.signal.addEventListener("abort", resolve));
      return answerWith("{}");
    });
    const first = await call(door, { name: "t" });
    const retry = { name: "t", inputResponses: { r: { roots: [] } }, requestState: stateOf(first) };
    const { headers, body } = modern("tools/call", retry);
    const req = request(`${door.origin}/mcp`, { method: "POST", headers: headers!, agent: false });
    req.on("error", () => {});
    req.end(JSON.stringify(body));
    await vi.waitFor(() => expect(done).toEqual(["result"]));
    expect(door.calls[0]?.signal.aborted).toBe(false);
    req.destroy();
    await vi.waitFor(() => expect(door.calls[0]?.signal.aborted).toBe(true));
  });

  it("does not keep a host from stopping, and hears that nobody answers", async () => {
    const heard: string[] = [];
    const door = await open(async (raw) => {
      heard.push(
        (await raw.asker.ask({ method: "elicitation/create", key: null, params: rawJson("{}") }, raw.signal)).json,
      );
      return answerWith("{}");
    });
    await call(door, { name: "t" });
    const started = Date.now();
    await door.listener.close();
    expect(heard).toEqual(['{"action":"cancel"}']);
    expect(Date.now() - started).toBeLessThan(9000);
  });
});

describe("a server of the same era", () => {
  const UPSTREAM_STATE = '"up\\u0073tream 1.0"';
  const relaying: HandleCall = async (raw: RawCall) => {
    if (raw.continues !== null) return answerWith(`{"content":[],"contents":[],"messages":[]}`);
    const continues = { kind: "relay", invocationId: "inv_1", round: 1, questions: "ab", target: "p -" } as const;
    const requests = '{"k":{"method":"roots/list","params":{ },"odd" : 1.0}}';
    const result = rawJson(
      `{ "odd":1.0,"requestState" : ${UPSTREAM_STATE},"resultType":"input_required","inputRequests":${requests}}`,
    );
    const wanted = { continues, provider: "p", result, state: rawJson(UPSTREAM_STATE) };
    return { ...answerWith("{}"), ending: { kind: "input", wanted }, outcome: null };
  };

  it.each([
    ["tools/call", { name: "t", arguments: { a: 1.5 } }],
    ["prompts/get", { name: "t" }],
    ["resources/read", { uri: "a:b" }],
  ])("asks through %s and gets its own state back", async (method, params) => {
    const door = await open(relaying);
    const first = await call(door, params, {}, method);
    expect(first.text).toContain(
      `"result":{ "odd":1.0,"requestState" : "${stateOf(first)}","resultType":"input_required",` +
        '"inputRequests":{"k":{"method":"roots/list","params":{ },"odd" : 1.0}}}',
    );
    expect(first.text).not.toMatch(/ttlMs|cacheScope/);
    const retry = { ...params, inputResponses: { k: { roots: [] } }, requestState: stateOf(first) };
    for (let i = 0; i < 2; i++) expect((await call(door, retry, {}, method)).json.result.resultType).toBe("complete");
    expect(door.calls).toHaveLength(3);
    expect(door.calls[1]).toMatchObject({
      continues: { kind: "relay", invocationId: "inv_1", round: 1, questions: "ab", target: "p -" },
      input: { responses: '{"k":{"roots":[]}}', state: UPSTREAM_STATE },
      extraParams: "",
      providerHint: method === "resources/read" ? "p" : null,
    });
    expect(reasonOf(await call(door, retry, { authorization: `Bearer ${OTHER}` }, method))).toBe(
      "invalid_request_state",
    );
  });

  it("gets answers that come unasked, as they came", async () => {
    const door = await open();
    await call(door, { name: "t", inputResponses: { a: 12345 } });
    expect(door.calls[0]).toMatchObject({
      input: { responses: '{"a":12345}', state: null },
      continues: null,
      extraParams: "",
    });
    await call(door, { name: "t", other: 1 });
    expect(door.calls[1]).toMatchObject({ input: null, extraParams: '"other":1' });
  });

  it("is told what this caller declared, as it came", async () => {
    const door = await open();
    const { headers, body } = modern("tools/call", { name: "t" });
    const capabilities = '{ "roots" : {}, "extensions":{"a/b":{"n":1.0}} }';
    const text = JSON.stringify(body).replace(`"${META_CAPABILITIES}":{}`, `"${META_CAPABILITIES}":${capabilities}`);
    await knock(door.origin, { headers: headers!, body: text });
    expect(door.calls[0]?.asker.declared).toEqual({ json: capabilities, value: JSON.parse(capabilities) });
  });

  it("cannot ask in a completion", async () => {
    const door = await open();
    await call(door, { ref: { type: "ref/prompt", name: "x" } }, {}, "completion/complete");
    expect(door.calls[0]?.asker).toMatchObject({ returns: false, declared: { value: DECLARED } });
  });
});
