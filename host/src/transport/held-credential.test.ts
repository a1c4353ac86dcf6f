/** One person may hold several keys of different reach, and tokens that are renewed: whose answer is it then? */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AskAnswer } from "../kernel/ask.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { answerWith } from "./asking-call-for-tests.ts";
import { knock, modern, openSession } from "./client-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";
import { META_CAPABILITIES } from "./protocol.ts";
import { openStream } from "./stream-for-tests.ts";

const SCOPES = ["fs__*", "git__log"];

let door: TestDoor;
/** What the call path is told about each answer. */
const heard: AskAnswer[] = [];
beforeEach(async () => {
  heard.length = 0;
  door = await openTestDoor({
    handleCall: async (raw) => {
      const question = rawJson('{"message":"private"}');
      const said = raw.asker.ask({ method: "elicitation/create", key: "a", params: question }, raw.signal);
      if (raw.args["early"] !== true) heard.push(await said);
      else await vi.waitFor(() => expect(raw.asker.held()).toBe(true), { timeout: 5000 });
      return answerWith('{"content":["private"]}');
    },
  });
  const owner = door.principals.get(OWNER)!;
  const key = (name: string, scopes: readonly string[] | null) =>
    door.principals.set(name, { ...owner, scopes, credentialId: name });
  key("fresh", null);
  key("scoped", SCOPES);
  key("as-wide", ["x__*", ...SCOPES]);
  key("narrow", ["git__log"]);
  key("none", []);
});
afterEach(() => door.listener.close());

const accept = { a: { action: "accept" } };
const call = (key: string, more: object = {}, args: object = {}) => {
  const params = { name: "fs__t", arguments: args, _meta: { [META_CAPABILITIES]: { elicitation: {} } }, ...more };
  return knock(door.origin, modern("tools/call", params, { authorization: `Bearer ${key}` }));
};
const requestState = async (key: string, args: object = {}): Promise<string> =>
  (await call(key, {}, args)).json.result.requestState as string;

describe("a held call", () => {
  it.each([
    [OWNER, "scoped"],
    [OWNER, "none"],
    ["scoped", "narrow"],
  ])("begun with the key %s is not gone on with by the same person's %s, and waits on", async (first, other) => {
    const state = await requestState(first);
    for (const more of [{ inputResponses: accept }, {}]) {
      const said = await call(other, { requestState: state, ...more });
      expect(said.json.error).toMatchObject({ code: -32602, data: { reason: "invalid_request_state" } });
      expect(said.text).not.toContain("private");
    }
    expect(door.statesRejected).toEqual(["person:owner principal", "person:owner principal"]);
    expect(heard).toEqual([]);
    const last = await call(first, { requestState: state, inputResponses: accept });
    expect(last.json.result.content).toEqual(["private"]);
  });

  it("that ended meanwhile keeps its result for a key that may see it", async () => {
    const state = await requestState(OWNER, { early: true });
    await vi.waitFor(() => expect(door.listener.load().calls).toBe(0), { timeout: 5000 });
    expect((await call("scoped", { requestState: state }, { early: true })).text).not.toContain("private");
    const last = await call(OWNER, { requestState: state }, { early: true });
    expect(last.json.result.content).toEqual(["private"]);
  });

  it.each([
    [OWNER, "fresh"],
    ["scoped", "as-wide"],
    ["scoped", OWNER],
  ])("begun with %s goes on with %s, and its answer is judged by that one", async (first, other) => {
    const state = await requestState(first);
    const last = await call(other, { requestState: state, inputResponses: accept });
    expect(last.json.result.content).toEqual(["private"]);
    expect(heard).toMatchObject([{ json: '{"action":"accept"}', presented: { kind: "bearer", token: other } }]);
  });

  it("goes on by the retry's token though the first has expired, also where the retry cannot be asked", async () => {
    const state = await requestState("fresh");
    door.principals.delete("fresh");
    await call(OWNER, { requestState: state, _meta: { [META_CAPABILITIES]: {} } });
    expect(heard).toMatchObject([{ code: -32601, presented: { token: OWNER } }]);
  });
});

describe("the answer to a legacy session's question", () => {
  it.each([false, true])("is judged by the key that it came with; in an array: %s", async (batched) => {
    const session = await openSession(door.origin, "2025-03-26", "/mcp", OWNER, { elicitation: {} });
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "fs__t" } };
    const stream = openStream(door.origin, { headers: session.headers, body });
    const { message } = await stream.until(({ method }) => method === "elicitation/create");
    const answer = { jsonrpc: "2.0", id: message.id, result: { action: "accept" } };
    const said = await session.post(batched ? [answer] : answer, { authorization: "Bearer fresh" });
    expect(said.status).toBe(202);
    await stream.until(({ id }) => id === 1);
    expect(heard).toMatchObject([{ json: '{"action":"accept"}', presented: { token: "fresh" } }]);
  });
});
