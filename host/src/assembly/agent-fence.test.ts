/** What a delegate may call: never more than the run that asked for it, and in whose name. */
import { describe, expect, test } from "vitest";
import type { StubRequest, StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { isDelegate, makeAgentPlace, startAgent, WIRES, type AgentPlace, type Json } from "./agent-host-for-tests.ts";

const DONE: StubTurn = { text: "Done." };
const children = ({ stub }: AgentPlace): readonly StubRequest[] => stub.requests().filter(isDelegate);

/** The parent delegates once; the delegate calls these, and is done. */
const script =
  (input: Json, ...calls: readonly string[]) =>
  (request: StubRequest): StubTurn => {
    if (request.results.length > 0) return DONE;
    if (isDelegate(request)) return calls.length === 0 ? DONE : { calls: calls.map((name) => ({ name })) };
    return { calls: [{ name: "nb__delegate", input: { task: "the task", ...input } }] };
  };

describe.each(WIRES)("on the wire of %s", (wire) => {
  test("it sees and calls what the globs leave of its parent's tools; another is refused at the call path", async () => {
    const { place, ...host } = await startAgent({ wire, tools: ["one", "two"] });
    await host.ask("go", script({ tools: ["desk__o*"] }, "desk__one", "desk__two", "files__list", "nb__bundle_status"));
    const [first, second] = children(place);
    expect(first?.tools).toEqual(["desk__one"]);
    expect(place.effects()).toEqual(["one"]);
    const texts = second?.results.map(({ text }) => text) ?? [];
    expect(texts[0]).toContain("one {}");
    for (const [at, tool] of [
      [1, "desk__two"],
      [2, "files__list"],
      [3, "nb__bundle_status"],
    ] as const) {
      expect(texts[at]).toContain(`outside_delegate: ${tool} is not available to this sub-agent.`);
    }
    const denied = place.events().filter(({ outcome }) => outcome === "denied");
    expect(denied.map(({ capability_id }) => capability_id).toSorted()).toEqual([
      "desk__two",
      "files__list",
      "nb__bundle_status",
    ]);
  });

  test("an empty list leaves no tool; without a list it has its parent's, but nb__ tools only where a glob names them", async () => {
    const { place, ...host } = await startAgent({ wire, tools: ["one", "two"] });
    await host.ask("go", script({ tools: [] }, "desk__one"));
    await host.ask("go", script({}));
    await host.ask("go", script({ tools: ["*"] }));
    await host.ask("go", script({ tools: ["nb__discover_*", "desk__two"] }));
    const [none, , all, star, named] = children(place).map(({ tools }) => tools);
    expect(none).toEqual([]);
    expect(place.effects()).toEqual([]);
    const parents = (place.stub.requests()[0]?.tools ?? []).filter((name) => !name.startsWith("nb__"));
    expect(all).toEqual(parents);
    expect(star).toEqual(parents);
    expect(named).toEqual(["desk__two", "nb__discover_bundles", "nb__discover_tools"]);
  });

  test("the profile's globs count where the call names none, and neither opens what the parent has not", async () => {
    const agents = { narrow: { description: "d", systemPrompt: "p", tools: ["desk__*", "files__list"] } };
    const place = await makeAgentPlace({ wire, tools: ["one", "two", "three"], settings: { agents } });
    place.skill("small", "allowed-tools: [desk__one, desk__two]\nmetadata: {triggers: [small]}");
    const host = await place.open();
    await host.ask("go", script({ agent: "narrow" }));
    await host.ask("go", script({ agent: "narrow", tools: ["desk__three"] }));
    await host.ask({ message: "go", allowedTools: ["desk__one"] }, script({ agent: "narrow" }, "desk__two"));
    await host.ask("make it small", script({ tools: ["*"] }, "desk__three", "desk__two"));
    const lists = children(place).map(({ tools }) => tools);
    expect(lists).toEqual([
      ["desk__one", "desk__three", "desk__two", "files__list"],
      ["desk__three"],
      ["desk__one"],
      ["desk__one"],
      ["desk__one", "desk__two"],
      ["desk__one", "desk__two"],
    ]);
    expect(place.effects()).toEqual(["two"]);
  });

  test("a delegate may delegate where that is named, at most three deep, inside the fence of all above it", async () => {
    const { place, ...host } = await startAgent({ wire, tools: ["one", "two"] });
    const wider = { tools: ["nb__delegate", "*"] };
    const { json } = await host.ask({ message: "go", maxIterations: 20 }, (request) => {
      if (request.results.length > 0)
        return { text: request.results[0]?.text.includes("outside_delegate") ? "Deepest." : "Back." };
      const tools = isDelegate(request) ? wider.tools : ["nb__delegate", "desk__one"];
      return { calls: [{ name: "nb__delegate", input: { task: "the task", tools } }] };
    });
    expect(json).toMatchObject({ response: "Back.", usage: { iterations: 2 } });
    const begun = children(place).filter(({ results }) => results.length === 0);
    expect(begun.map(({ tools }) => tools)).toEqual([0, 1, 2].map(() => ["desk__one", "nb__delegate"]));
    expect(place.stub.requests().filter(({ last }) => last.includes("cannot delegate any further"))).toHaveLength(1);
    const started = place.evidence("run_started").map(({ payload }) => payload);
    expect(started).toHaveLength(4);
    expect(started.slice(1).map((payload) => payload["parent_run_id"])).toEqual(
      started.slice(0, 3).map((payload) => payload["run_id"]),
    );
  });

  test("evidence names the delegate, for whom it acts and the chain, in the correlation of the run", async () => {
    const agents = { helper: { description: "d", systemPrompt: "p", tools: ["desk__*"] } };
    const { place, ...host } = await startAgent({ wire, settings: { agents } });
    const { json } = await host.ask("go", script({ agent: "helper" }, "desk__echo"));
    const events = place.events().filter(({ correlation }) => correlation.correlation_id === json["runId"]);
    const echo = events.filter(({ capability_id }) => capability_id === "desk__echo");
    expect(echo.length).toBeGreaterThanOrEqual(2);
    for (const { subject } of echo) {
      expect(subject).toMatchObject({
        id: "agent://helper",
        type: "agent",
        door: "agent",
        on_behalf_of: "person://owner",
        chain: ["agent://bailiwick"],
      });
    }
    const own = events.filter(({ capability_id }) => capability_id === "nb__delegate");
    expect(own.length).toBeGreaterThanOrEqual(2);
    for (const { subject } of own) {
      expect(subject).toMatchObject({ id: "agent://bailiwick", on_behalf_of: "person://owner" });
    }
    const [parent, child] = place.evidence("run_started").map(({ payload }) => payload);
    expect(parent).toMatchObject({ run_id: json["runId"] });
    expect(child).toMatchObject({ parent_run_id: json["runId"], delegated_by: own[0]?.invocation_id });
  });

  test("a rule about the delegate decides its calls, and not those of its parent", async () => {
    const agents = { helper: { description: "d", systemPrompt: "p", tools: ["desk__*"] } };
    const rules = [
      {
        id: "no-helper",
        match: { principals: ["agent:helper"], tools: ["desk__two"] },
        effect: "deny",
        reason: "Not for helpers.",
      },
    ];
    const { place, ...host } = await startAgent({
      wire,
      tools: ["one", "two"],
      settings: { agents, policy: { rules } },
    });
    await host.ask("go", script({ agent: "helper" }, "desk__one", "desk__two"));
    await host.ask("go", [{ calls: [{ name: "desk__two" }] }, DONE]);
    expect(place.effects()).toEqual(["one", "two"]);
  });
});
