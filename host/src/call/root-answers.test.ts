/** A modern server that wants to know roots before it goes on: who answers, through the whole call path. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer } from "../kernel/call.ts";
import type { ListedTool } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { rootListOf } from "../kernel/roots-for-tests.ts";
import { caller, openPath, result, type Answering, type TestPath } from "./path-for-tests.ts";
import { jsonOf, order, state as taskState, taskCaller, tasking } from "./tasks-for-tests.ts";

const HERO = rootListOf({ hero: "/projects/hero" });
const ROOTS = '"r":{"method":"roots/list","params":{}}';
const WHO = '"who":{"method":"elicitation/create","params":{"message":"Who?"}}';
const FORGED = '{"roots":[{"uri":"file:///"}]}';
const BOTH = '{"roots":{},"elicitation":{}}';

const toolOf = (name: string, required: readonly string[]): ListedTool => {
  const value = { name, inputSchema: { type: "object" }, _meta: { dcc: { required_capabilities: required } } };
  return { name, definition: "sha256:1", json: rawJson(JSON.stringify(value)), value };
};
const TOOLS = [toolOf("open", ["filesystem.read"]), toolOf("plain", [])];

const wants = (...asks: string[]) => {
  const json = `{"resultType":"input_required","inputRequests":{${asks.join(",")}},"requestState":"s1"}`;
  const value = JSON.parse(json) as Record<string, unknown>;
  return { kind: "partial" as const, resultType: "input_required", json: rawJson(json), value };
};
const DONE = result('{"content":[]}');

let path: TestPath;
let answering: Answering;
beforeEach(() => {
  path = openPath((...asked) => answering(...asked), {
    tools: TOOLS,
    declared: ["filesystem.read"],
    roots: () => HERO,
  });
});
afterEach(() => path.close());

const call = (name: string, more: object): Promise<Answer> => path.call({ name: `p__${name}`, ...more });
const inputs = () => path.sent.map(({ input }) => input);
const rounds = () =>
  path.events
    .filter(({ type }) => type === "dev.bailiwick.round")
    .map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
const wantedOf = ({ ending }: Answer) => {
  if (ending.kind !== "input") throw new Error(`ended as ${ending.kind}`);
  return ending.wanted;
};

describe("a modern server that asks for roots", () => {
  it.each([
    ["a tool that works on files", "open", BOTH],
    ["a caller that declared none", "plain", "{}"],
  ])("hears of the host's for %s, and the caller is not asked", async (_, name, declared) => {
    for (const returns of [true, false]) {
      path.sent.length = 0;
      let round = 0;
      answering = () => (++round === 1 ? wants(ROOTS) : DONE);
      const asker = caller(declared, () => FORGED, returns);
      expect((await call(name, { asker })).ending).toMatchObject({ kind: "result" });
      expect(asker.asked).toEqual([]);
      expect(inputs()).toEqual([null, { responses: `{"r":${HERO.listing}}`, state: '"s1"' }]);
      expect(rounds().at(-1)).toMatchObject({ method: "roots/list", answer_commitment: expect.any(String) });
    }
  });

  it("hears of the caller's for a tool that needs no files", async () => {
    answering = (_, nth) => (nth === 1 ? wants(ROOTS) : DONE);
    const waits = caller(BOTH, () => FORGED);
    await call("plain", { asker: waits });
    expect(inputs()[1]).toEqual({ responses: `{"r":${FORGED}}`, state: '"s1"' });
    answering = () => wants(ROOTS);
    const wanted = wantedOf(await call("plain", { asker: caller(BOTH, undefined, true) }));
    expect(JSON.parse(wanted.result)).toMatchObject({ inputRequests: { r: { method: "roots/list" } } });
    expect(wanted.state).toBe('"s1"');
  });

  it("and for more: the caller sees the rest, and what it says about roots does not count", async () => {
    answering = (_, nth) => (nth === 1 ? wants(ROOTS, WHO) : DONE);
    const asker = caller(BOTH, undefined, true);
    const { result: asked, continues, state } = wantedOf(await call("open", { asker }));
    expect(JSON.parse(asked)).toMatchObject({ inputRequests: { who: { method: "elicitation/create" } } });
    expect(asked).not.toContain("roots/list");
    const responses = rawJson(`{"r":${FORGED},"who":{"action":"accept"},"x":${FORGED}}`);
    await call("open", { asker, continues, input: { responses, state } });
    // What the host answered, and what the caller brought.
    expect(rounds().map(({ method }) => method)).toEqual([undefined, "roots/list", "roots/list"]);
    const sent = inputs()[1];
    expect(sent?.state).toBe('"s1"');
    expect(JSON.parse(sent?.responses ?? "")).toEqual({
      who: { action: "accept" },
      x: JSON.parse(HERO.listing),
      r: JSON.parse(HERO.listing),
    });
  });

  it("is told the host's in place of those that a caller sends unasked", async () => {
    answering = () => DONE;
    const responses = rawJson(`{"r":${FORGED},"also":{"action":"accept","roots":[]},"who":{"action":"accept"}}`);
    const input = { responses, state: null };
    await call("open", { asker: caller(BOTH, undefined, true), input });
    await call("plain", { asker: caller(BOTH, undefined, true), input });
    const own = `{"r":${HERO.listing},"also":${HERO.listing},"who":{"action":"accept"}}`;
    expect(inputs()).toEqual([{ responses: own, state: null }, input]);
  });

  it("of a task hears of the host's, whatever the caller answers", async () => {
    answering = tasking(({ method }) => (method === "tasks/get" ? taskState("working") : result("{}")));
    const sent: string[] = [];
    for (const name of ["open", "plain"]) {
      const { ending } = await call(name, { asker: taskCaller() });
      const { taskId } = JSON.parse(jsonOf(ending)) as { taskId: string };
      await path.tasks.update(order(taskId), rawJson(`{"r":${FORGED},"k":{"action":"accept"}}`));
      sent.push(path.sent.findLast(({ method }) => method === "tasks/update")?.params ?? "");
    }
    expect(sent).toEqual(
      [HERO.listing, FORGED].map((roots) => `"taskId":"up-1","inputResponses":{"r":${roots},"k":{"action":"accept"}}`),
    );
  });
});
