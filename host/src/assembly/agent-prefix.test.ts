/** The part of a request that stays the same, byte for byte, and the place of what changes. */
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { StubRequest, StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { makeAgentPlace, startAgent, WIRES, type AgentPlace, type Json } from "./agent-host-for-tests.ts";

const HELLO = fileURLToPath(new URL("../../../examples/hello", import.meta.url));
const DAY_MS = 86_400_000;
const DONE: StubTurn = { text: "Done." };

afterEach(() => vi.useRealTimers());

/** What a provider caches: the tools and the system prompt, as they came. */
const prefixOf = ({ body }: StubRequest): string => {
  const messages = (body["messages"] ?? []) as readonly Json[];
  return JSON.stringify([body["tools"], body["system"], messages.filter(({ role }) => role === "system")]);
};
const prefixes = ({ stub }: AgentPlace): ReadonlySet<string> => new Set(stub.requests().map(prefixOf));

describe.each(WIRES)("on the wire of %s", (wire) => {
  test("tools and system prompt are the same in every call: other messages, conversations, focused apps, later days", async () => {
    const settings = { identity: "You speak for Ann.", bundles: [{ path: HELLO }] };
    const place = await makeAgentPlace({ wire, settings });
    place.skill("tone", "type: context\npriority: 1", "Be brief.");
    place.skill("maths", "description: How to count\n", "Count well.");
    const host = await place.open();
    await host.until("hello", "running");
    const { json } = await host.ask("one", [{ calls: [{ name: "desk__echo" }] }, DONE]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 40 * DAY_MS });
    const { conversationId } = json;
    await host.ask({ message: "two", conversationId }, [DONE]);
    await host.ask({ message: "three", appContext: { appName: "Hello", serverName: "hello" } }, [DONE]);
    expect(place.stub.requests()).toHaveLength(4);
    expect(prefixes(place).size).toBe(1);
    const { system } = place.stub.requests()[0] as StubRequest;
    const parts = ["You speak for Ann.", "Be brief.", "- maths: How to count", "- desk (no UI)", "- hello (no UI)"];
    const places = parts.map((part) => system.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(system).not.toMatch(/20\d\d/);
    expect(system.split("\n\n---\n\n")).toHaveLength(3);
  });

  test("a crash and restart of a bundle changes nothing before the last message, also while it is down", async () => {
    const { place, ...host } = await startAgent({ wire });
    await host.ask("go", [DONE]);
    const { json } = await host.ask("go", [{ calls: [{ name: "desk__echo", input: { crash: true } }] }, DONE]);
    expect(json["toolCalls"]).toMatchObject([{ ok: false }]);
    await host.ask("go", [DONE]);
    await host.until("desk", "running");
    await host.ask("go", [{ calls: [{ name: "desk__echo" }] }, DONE]);
    expect(place.effects()).toEqual(["echo", "echo"]);
    expect(prefixes(place).size).toBe(1);
  });

  test("a restart of the host changes nothing either", async () => {
    const { place, ...host } = await startAgent({ wire });
    await host.ask("go", [DONE]);
    await host.stop();
    const again = await place.open();
    await again.ask("go", [DONE]);
    expect(place.stub.requests()).toHaveLength(2);
    expect(prefixes(place).size).toBe(1);
  });

  test("a matched skill stands behind the stable part and leaves it as it is", async () => {
    const place = await makeAgentPlace({ wire });
    place.skill("report", "metadata: {triggers: [report]}", "Write it in three lines.");
    const host = await place.open();
    await host.ask("hello", [DONE]);
    await host.ask("a report, please", [DONE]);
    const [without, withSkill] = place.stub.requests();
    expect(withSkill?.system.startsWith(`${without?.system}\n\n---\n\n`)).toBe(true);
    expect(withSkill?.system).toMatch(/Write it in three lines\.\s*$/);
    expect(withSkill?.body["tools"]).toEqual(without?.body["tools"]);
    if (wire === "anthropic") expect(withSkill?.body["system"][0]).toEqual(without?.body["system"][0]);
  });

  test("what is so at the moment stands once, at the end of the person's message, and never in the conversation", async () => {
    const place = await makeAgentPlace({ wire, settings: { bundles: [{ path: HELLO }] } });
    const host = await place.open();
    await host.until("hello", "running");
    await host.rest("POST", "/v1/apps/hello/stop");
    const { json } = await host.ask("first question", [{ calls: [{ name: "desk__echo" }] }, DONE]);
    await host.ask({ message: "second question", conversationId: json["conversationId"] }, [DONE]);
    const [first, second, third] = place.stub.requests();
    expect(first?.last).toMatch(
      /^first question\n\n<runtime-context>\nNow: \w+day \d{4}-\d\d-\d\d \d\d:\d\d \(.+\)\nApp that cannot answer now: hello: [^]+\n<\/runtime-context>$/,
    );
    expect(third?.last).toMatch(/^second question\n\n<runtime-context>\n[^]*<\/runtime-context>$/);
    for (const request of [first, second, third]) {
      expect(JSON.stringify(request?.body["messages"]).match(/<runtime-context>\\n/g)).toHaveLength(1);
    }
    const { messages } = (await host.rest("GET", `/v1/conversations/${json["conversationId"]}/history`)).json;
    expect(JSON.stringify(messages)).not.toContain("runtime-context");
    expect(messages[0].content).toBe("first question");
  });

  test("what a run was sent can be looked at, by layer, and what would be sent beforehand", async () => {
    const place = await makeAgentPlace({ wire });
    place.skill("report", "metadata: {triggers: [report]}", "Write it in three lines.");
    const host = await place.open();
    const before = await host.rest("POST", "/v1/prompt", { message: "a report" });
    expect(place.stub.requests()).toEqual([]);
    const { json } = await host.ask("a report", [DONE]);
    const after = await host.rest("GET", `/v1/runs/${json["runId"]}/prompt`);
    const [sent] = place.stub.requests();
    for (const { json: shown } of [before, after]) {
      expect(shown.stable + shown.varying).toBe(sent?.system);
      expect(shown.tools.map(({ name }: Json) => name)).toEqual(sent?.tools);
      expect(new Set(shown.layers.map(({ layer }: Json) => layer))).toEqual(new Set([1, 2, 3, 4]));
      expect(shown.layers.every(({ text, chars }: Json) => text.length === chars)).toBe(true);
      expect(shown.skill).toEqual({ name: "report", phase: "trigger", matched: ["report"] });
    }
    expect(after.json.message).toBe(sent?.last);
  });
});

test("on Anthropic's wire the cache ends after the tools and after the third layer, and nowhere else", async () => {
  const place = await makeAgentPlace({ wire: "anthropic" });
  place.skill("report", "metadata: {triggers: [report]}", "Write it in three lines.");
  const host = await place.open();
  await host.ask("a report", [{ calls: [{ name: "desk__echo" }] }, DONE]);
  for (const { body } of place.stub.requests()) {
    const tools = body["tools"] as Json[];
    const breakpoint = { type: "ephemeral" };
    expect(tools.map((tool) => tool["cache_control"])).toEqual([...tools.slice(1).map(() => undefined), breakpoint]);
    const system = body["system"] as Json[];
    expect(system.map((block) => block["cache_control"])).toEqual([breakpoint, undefined]);
    expect(system[0]?.["text"]).toContain("Installed apps:");
    expect(system[1]?.["text"]).toContain("Write it in three lines.");
    expect(JSON.stringify(body["messages"])).not.toContain("cache_control");
  }
});
