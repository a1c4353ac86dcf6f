/** Tools in a crowded workspace: whoever cannot look for them is shown them, and nothing points to what cannot be called. */
import { expect, test } from "vitest";
import type { StubCall, StubRequest, StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { makeAgentPlace, startAgent, type AgentPlace, type Json } from "./agent-host-for-tests.ts";

const DONE: StubTurn = { text: "Done." };
const HOW = "nb__discover_tools: the tools it finds";
const MANY = Array.from({ length: 40 }, (_, index) => `t${String(index).padStart(2, "0")}`);

const isChild = ({ system }: StubRequest): boolean => !system.includes("Installed apps:");
const delegate = (input: Json): StubCall => ({ name: "nb__delegate", input: { task: "the task", ...input } });
const desk = (names: readonly string[] = []): readonly string[] => names.filter((name) => name.startsWith("desk__"));

test("a delegate is shown the tools that it may use, however many they are", async () => {
  const profile = { description: "d", systemPrompt: "p", tools: ["desk__*"] };
  const { place, ...host } = await startAgent({ tools: MANY, settings: { agents: { all: profile } } });
  const shown = async (input: Json): Promise<StubRequest | undefined> => {
    const before = place.stub.requests().length;
    await host.ask("go", (request: StubRequest): StubTurn =>
      isChild(request) || request.results.length > 0 ? DONE : { calls: [delegate(input)] },
    );
    return place.stub.requests().slice(before).find(isChild);
  };
  expect(desk((await shown({ agent: "all" }))?.tools)).toHaveLength(40);
  expect(desk((await shown({ tools: ["desk__t0*"] }))?.tools)).toHaveLength(10);
  expect(desk((await shown({}))?.tools)).toHaveLength(40);
  const finder = await shown({ tools: ["desk__*", "nb__discover_tools"] });
  expect(finder?.tools).toHaveLength(41);
  expect((await shown({ tools: [] }))?.tools).toEqual([]);
});

const listed = ({ stub }: AgentPlace): readonly string[] => stub.requests().at(-1)?.tools ?? [];

test("without discovery all tools are shown, and the prompt does not speak of it", async () => {
  const off = await startAgent({ tools: MANY, settings: { features: { toolDiscovery: false } } });
  await off.ask("go", [DONE]);
  expect(desk(listed(off.place))).toHaveLength(40);
  expect(listed(off.place)).not.toContain("nb__discover_tools");
  expect(off.place.stub.requests()[0]?.system).not.toContain(HOW);
});

test("a key that may not name discovery is shown all that it may name", async () => {
  const { place, ...host } = await startAgent({ tools: MANY });
  const { secret } = await host.keys.create({ name: "narrow", scopes: ["desk__*"] });
  place.stub.script([DONE]);
  const asked = { message: "go" };
  const { status } = await host.rest("POST", "/v1/chat", asked, { authorization: `Bearer ${secret}` });
  expect([status, listed(place).length]).toEqual([200, 40]);
  expect(place.stub.requests()[0]?.system).not.toContain(HOW);
  await host.ask("go", [DONE]);
  expect(desk(listed(place))).toEqual([]);
  expect(place.stub.requests().at(-1)?.system).toContain(HOW);
});

test("skills are offered for reading only where they can be read", async () => {
  const place = await makeAgentPlace();
  place.skill("manual", "description: How all is done");
  place.skill("narrow", "allowed-tools: [desk__*]\nmetadata: {triggers: [narrowly]}");
  place.skill("reading", "allowed-tools: [skills__read]\nmetadata: {triggers: [readingly]}");
  const host = await place.open();
  const offered: boolean[] = [];
  for (const message of ["go", "go narrowly", "go readingly"]) {
    await host.ask(message, [DONE]);
    offered.push(place.stub.requests().at(-1)?.system.includes("read with skills__read") ?? false);
  }
  expect(offered).toEqual([true, false, true]);
});

test("what a model names wrongly, it is told with the providers there are", async () => {
  const { place, ...host } = await startAgent({ tools: ["send", "calculate"] });
  await host.ask("go", [{ calls: [{ name: "post__send" }, { name: "a__sned" }] }, DONE]);
  const [other, typo] = place.stub.requests().at(-1)?.results ?? [];
  expect(other?.text).toMatch(/Did you mean desk__send\?[^]*Providers: [^]*\bdesk\b/);
  expect(typo?.text).toContain("Did you mean desk__send? Providers: ");
});

test("what discovery names is called by the name that it gives", async () => {
  const { place, ...host } = await startAgent({ tools: [...MANY, "send.now"] });
  let alias = "";
  await host.ask("go", (request: StubRequest, index: number): StubTurn => {
    if (index === 0) return { calls: [{ name: "nb__discover_tools", input: { query: "send now" } }] };
    if (index > 1) return DONE;
    alias = /"call_as":"([^"]+)"/.exec(request.results[0]?.text ?? "")?.[1] ?? "";
    return request.tools.includes(alias) ? { calls: [{ name: alias }] } : DONE;
  });
  expect(alias).toMatch(/^desk__send_now_[0-9a-f]{8}$/);
  expect(place.effects()).toEqual(["send.now"]);
});

test("delegates that run at the same time do not use up the tokens many times over", async () => {
  const [most, each, count] = [10_000, 1_000, 20];
  const { place, ...host } = await startAgent({ settings: { maxInputTokens: most } });
  const { json } = await host.ask("go", (request: StubRequest, index: number): StubTurn => {
    if (isChild(request))
      return { calls: [{ name: "desk__echo", input: { index } }], usage: { input: each, output: 1 } };
    const usage = { input: 1, output: 1 };
    if (request.results.length > 0) return { ...DONE, usage };
    return { calls: Array.from({ length: count }, () => delegate({})), usage };
  });
  const used = place.stub.requests().filter(isChild).length * each;
  expect(json).toMatchObject({ response: "Done.", inputTokens: used + 2 });
  // Beyond what there was, each has at most the call that it was in when the others used up the rest.
  expect(used).toBeLessThanOrEqual(most + count * each);
});
