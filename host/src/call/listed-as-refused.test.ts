/** What a list says of a tool that cannot run is what a call of it is told. */
import { afterEach, describe, expect, it } from "vitest";
import type { ListedTool, ProviderState } from "../kernel/provider.ts";
import { needing, openGate, toolOf, type Gate } from "./gate-for-tests.ts";

const open: Gate[] = [];
const gateOf = (tool: ListedTool, state: ProviderState = "running"): Gate => {
  const gate = openGate({ tools: [tool], policy: { capabilities: { maya__off: { enabled: false } } } });
  gate.state = state;
  open.push(gate);
  return gate;
};
afterEach(() => {
  for (const gate of open.splice(0)) gate.path.close();
});

const hintOf = (gate: Gate) =>
  gate.listed()[0]?._meta?.["dev.bailiwick/lifecycle"] as { state: string; next: string; retryable: boolean };
const refusalOf = async (gate: Gate) => {
  const { ending } = await gate.call(gate.listed()[0]?.name ?? "");
  if (ending.kind !== "refusal") throw new Error("was not refused");
  return ending.refusal;
};

const barred = { state: "unavailable", reason: "python3_missing", next: "Install it." } as const;

describe("whether it is worth another try", () => {
  it.each<[string, string, ListedTool, ProviderState]>([
    ["discoverable", "capability_missing", needing("t", "usd"), "running"],
    ["hosted", "capability_missing", needing("t", "usd"), "starting"],
    ["hosted", "not_ready", toolOf({ name: "t" }), "crashed"],
    ["unavailable", "unavailable", needing("t", "usd"), "dead"],
    ["unavailable", "unavailable", { ...needing("t", "usd"), barred }, "running"],
    ["suspended", "suspended", needing("t", 1), "running"],
    ["suspended", "definition_new", { ...needing("t", "usd"), held: "definition_new" }, "running"],
    ["disabled", "disabled", needing("off", "usd"), "running"],
  ])("is told alike of one that is listed as %s and refused as %s", async (state, kind, tool, provider) => {
    const gate = gateOf(tool, provider);
    const [hint, refusal] = [hintOf(gate), await refusalOf(gate)];
    expect([hint.state, refusal.kind]).toEqual([state, kind]);
    expect(hint.retryable).toBe(refusal.retryable);
  });

  it("is no for one that lacks a capability", () => {
    expect(hintOf(gateOf(needing("t", "usd"))).retryable).toBe(false);
  });
});

describe("what is to be done", () => {
  it.each<[string, ListedTool]>([
    ["capabilities that cannot be read", needing("t", 1)],
    ["more capabilities than anybody reads", needing("t", ...Array.from({ length: 65 }, () => "usd"))],
    ["a schema that cannot be used", toolOf({ name: "t", inputSchema: { type: "object", $async: true } })],
  ])("is told in the same words of one with %s", async (_, tool) => {
    const gate = gateOf(tool);
    const refusal = await refusalOf(gate);
    expect(refusal.kind).toBe("suspended");
    expect(hintOf(gate).next).toBe(refusal.next);
    expect(gate.sent).toEqual([]);
  });
});

it("a search for tools that have all they require leaves out one whose requirements cannot be read", () => {
  const tools = [
    needing("unread", 1),
    needing("long", "x".repeat(257)),
    needing("needy", "usd"),
    toolOf({ name: "t" }),
  ];
  const gate = openGate({ tools });
  open.push(gate);
  const names = (query?: string) =>
    gate
      .surface()
      .rows(query, { satisfied: true })
      .map(({ name }) => name);
  expect(names()).toEqual(["maya__t"]);
  expect(names("maya")).toEqual(["maya__t"]);
  expect(gate.surface().rows()).toHaveLength(4);
});
