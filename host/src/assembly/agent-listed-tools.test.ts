/** Which tools a model is shown, and under which names: what the stub received is what counts. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { StubRequest, StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { capabilityId } from "../kernel/capability-id.ts";
import { makeAgentPlace, startAgent, WIRES, type AgentPlace, type Json } from "./agent-host-for-tests.ts";

const HELLO = fileURLToPath(new URL("../../../examples/hello", import.meta.url));
const DONE: StubTurn = { text: "Done." };

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `t${String(index).padStart(2, "0")}`);
const listed = ({ stub }: AgentPlace, at = -1): readonly string[] => stub.requests().at(at)?.tools ?? [];
const of = (names: readonly string[], ...providers: readonly string[]): string[] =>
  names.filter((name) => providers.some((provider) => name.startsWith(`${provider}__`)));
const discover = (query: string, limit = 10): StubTurn => ({
  calls: [{ name: "nb__discover_tools", input: { query, limit } }],
});
const HOW = "Search for what you need with nb__discover_tools";

describe.each(WIRES)("on the wire of %s", (wire) => {
  test("30 tools of bundles are all shown, whatever the host has of its own; of 31 none is, and the prompt says how to find them", async () => {
    const bundles = [{ path: HELLO }];
    const few = await makeAgentPlace({ wire, tools: numbered(29), settings: { bundles } });
    const host = await few.open();
    await host.until("hello", "running");
    await host.ask("go", [DONE]);
    const own = ["files", "nb", "skills"];
    expect(of(listed(few), "desk", "hello")).toHaveLength(30);
    expect(listed(few)).toEqual([...listed(few)].toSorted());
    expect(of(listed(few), ...own).length).toBeGreaterThan(10);
    expect(few.stub.requests()[0]?.system).not.toContain(HOW);
    await host.stop();

    const many = await makeAgentPlace({ wire, tools: numbered(30), settings: { bundles } });
    const crowded = await many.open();
    await crowded.until("hello", "running");
    await crowded.ask("go", [DONE]);
    expect(listed(many)).toEqual(of(listed(many), "nb"));
    expect(listed(many)).toHaveLength(6);
    expect(many.stub.requests()[0]?.system).toContain(HOW);
  });

  test("a skill with allowed-tools shows its tools and the host's nb__ ones, in a small and in a crowded workspace", async () => {
    for (const count of [5, 40]) {
      const place = await makeAgentPlace({ wire, tools: numbered(count) });
      place.skill("narrow", "allowed-tools: [desk__t0*]\nmetadata: {triggers: [narrowly]}");
      place.skill("none", "allowed-tools: []\nmetadata: {triggers: [nothing at all]}");
      const host = await place.open();
      const narrow = await host.ask("do it narrowly", [
        { calls: [{ name: "desk__t04" }, { name: "files__list" }] },
        DONE,
      ]);
      expect(narrow.json).toMatchObject({ skillName: "narrow" });
      expect(of(listed(place), "desk")).toEqual(numbered(Math.min(count, 10)).map((name) => `desk__${name}`));
      expect(of(listed(place), "files", "skills")).toEqual([]);
      expect(of(listed(place), "nb")).toHaveLength(6);
      expect(place.effects()).toEqual(["t04"]);
      expect(place.stub.requests().at(-1)?.results[1]?.text).toMatch(/outside_skill: files__list [^]*the skill narrow/);
      await host.ask("nothing at all, please", [{ calls: [{ name: "desk__t00" }] }, DONE]);
      expect(listed(place)).toEqual(of(listed(place), "nb"));
      expect(place.effects()).toEqual(["t04"]);
      await host.stop();
    }
  });

  test("the app that the person looks at is shown in every row, and stays callable with a skill", async () => {
    const place = await makeAgentPlace({
      wire,
      tools: ["one"],
      settings: { bundles: [{ path: HELLO }], maxDirectTools: 1 },
    });
    place.skill("narrow", "allowed-tools: [desk__*]\nmetadata: {triggers: [narrowly]}");
    const host = await place.open();
    await host.until("hello", "running");
    const hello = host
      .tools()
      .filter(({ provider }) => provider === "hello")
      .map(({ name }) => name);
    const appContext = { appName: "Hello", serverName: "hello" };
    await host.ask("go", [DONE]);
    expect(of(listed(place), "hello", "desk")).toEqual([]);
    await host.ask({ message: "go", appContext }, [DONE]);
    expect(of(listed(place), "hello", "desk")).toEqual(hello);
    expect(place.stub.requests().at(-1)?.last).toContain("App in front of the person: Hello");
    const { json } = await host.ask({ message: "narrowly", appContext }, [
      { calls: [{ name: hello[0] ?? "", input: { name: "Ann" } }] },
      DONE,
    ]);
    expect(of(listed(place), "hello", "desk")).toEqual(["desk__one", ...hello]);
    expect(json["toolCalls"]).toMatchObject([{ name: hello[0], outcome: "success" }]);
  });

  test("what is found joins from the next step on, behind the others, to the end of the run", async () => {
    const tools = [...numbered(40), { name: "calendar_create", description: "Creates a calendar event" }];
    const { place, ...host } = await startAgent({ wire, tools });
    const { json } = await host.ask("go", [
      discover("create a calendar event", 1),
      { calls: [{ name: "desk__calendar_create" }] },
      DONE,
    ]);
    const [first, second, third] = place.stub.requests().map(({ tools: each }) => each);
    expect(first).toHaveLength(6);
    expect(second).toEqual([...(first ?? []), "desk__calendar_create"]);
    expect(third).toEqual(second);
    expect(JSON.parse(json["toolCalls"][0].output)).toMatchObject({ activated: ["desk__calendar_create"] });
    expect(place.effects()).toEqual(["calendar_create"]);
    // Another conversation knows nothing of it; this one remembers what was called.
    await host.ask("go", [DONE]);
    expect(listed(place)).toEqual(first);
    await host.ask({ message: "again", conversationId: json["conversationId"] }, [DONE]);
    expect(listed(place)).toEqual(second);
  });

  test("what joins is at most maxDirectTools: the least recently used leaves", async () => {
    const names = ["apple", "banana", "cherry", "damson"];
    const tools = names.map((name) => ({ name, description: `Buys a ${name}` }));
    const { place, ...host } = await startAgent({ wire, tools, settings: { maxDirectTools: 2 } });
    await host.ask("go", [
      discover("apple", 1),
      discover("banana", 1),
      { calls: [{ name: "desk__apple" }] },
      discover("cherry", 1),
      DONE,
    ]);
    const joined = place.stub.requests().map(({ tools: each }) => of(each, "desk"));
    expect(joined).toEqual([
      [],
      ["desk__apple"],
      ["desk__apple", "desk__banana"],
      ["desk__apple", "desk__banana"],
      ["desk__apple", "desk__cherry"],
    ]);
  });

  test("tools of the last five messages join at the start; older ones do not", async () => {
    const { place, ...host } = await startAgent({ wire, tools: numbered(31) });
    const { json } = await host.ask("go", [{ calls: [{ name: "desk__t30" }, { name: "desk__t07" }] }, DONE]);
    const { conversationId } = json;
    const next = (message: string): Promise<unknown> => host.ask({ message, conversationId }, [DONE]);
    await next("second");
    expect(of(listed(place), "desk").toSorted()).toEqual(["desk__t07", "desk__t30"]);
    await next("third");
    expect(of(listed(place), "desk").toSorted()).toEqual(["desk__t07", "desk__t30"]);
    await next("fourth");
    expect(of(listed(place), "desk")).toEqual([]);
    // It is of the run surface all the same.
    expect(place.effects().toSorted()).toEqual(["t07", "t30"]);
  });

  test("names that a model cannot take get an alias that stays; all but the model see the full name", async () => {
    const odd = ["dotted.name", "with space", "größe", "a".repeat(80), "looks_0123abcd", "a__b"];
    const { place, ...host } = await startAgent({ wire, tools: odd });
    const events = await host.hear("go", (request: StubRequest) =>
      request.results.length > 0 ? DONE : { calls: of(request.tools, "desk").map((name) => ({ name })) },
    );
    const names = of(listed(place), "desk");
    expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(odd.length);
    expect(names).toContain("desk__a__b");
    expect(place.effects().toSorted()).toEqual(odd.toSorted());
    const full = odd.map((name) => `desk__${name}`).toSorted();
    const told = (event: string): string[] =>
      events
        .filter((each) => each.event === event)
        .map(({ data }) => data.name as string)
        .toSorted();
    expect(told("tool.start")).toEqual(full);
    expect(told("tool.done")).toEqual(full);
    const { data } = events.at(-1) as { data: Json };
    expect(data["toolCalls"].map(({ name }: Json) => name as string).toSorted()).toEqual(full);
    const invoked = place.events().map(({ capability_id }) => capability_id);
    for (const name of full) expect(invoked).toContain(capabilityId(name));
    await host.ask("again", [DONE]);
    expect(of(listed(place), "desk")).toEqual(names);
  });

  test("tools for apps alone and tools that cannot be called now are not shown; the latter are found with the reason", async () => {
    const tools = [
      "plain",
      { name: "for_app", _meta: { ui: { visibility: ["app"] } } },
      { name: "internal", annotations: { "ai.nimblebrain/internal": true } },
      { name: "needs_more", description: "Needs more", _meta: { dcc: { required_capabilities: ["usd"] } } },
    ];
    const { place, ...host } = await startAgent({ wire, tools });
    const { json } = await host.ask("go", [
      { calls: [{ name: "desk__for_app" }, { name: "desk__internal" }, { name: "desk__needs_more" }] },
      discover("needs more", 1),
      DONE,
    ]);
    expect(of(listed(place, 0), "desk")).toEqual(["desk__plain"]);
    expect(place.effects()).toEqual([]);
    expect(json["toolCalls"].slice(0, 3).map(({ ok }: Json) => ok)).toEqual([false, false, false]);
    expect(JSON.parse(json["toolCalls"][3].output)).toMatchObject({
      tools: [{ name: "desk__needs_more", callable: false, reason: expect.stringContaining("usd") }],
      activated: [],
    });
    expect(of(listed(place), "desk")).toEqual(["desk__plain"]);
  });
});
