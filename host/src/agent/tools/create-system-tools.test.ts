import { describe, expect, it } from "vitest";
import { createSystemTools } from "./create-system-tools.ts";
import { ALL_ON, callTool, portsWith, refusalOf } from "./system-tools-for-tests.ts";
import type { DelegateOrder, DelegateResult } from "./system-tool-ports.ts";
import { Refusal } from "../../kernel/refusal.ts";

const barredOf = (provider: ReturnType<typeof createSystemTools>): string[] =>
  provider.catalogue().tools.flatMap(({ name, barred }) => (barred === undefined ? [] : `${name} ${barred.state}`));

describe("the system tools", () => {
  it("are these six, with these hints", () => {
    const provider = createSystemTools(portsWith());
    expect([provider.name, provider.status().version, provider.status().state]).toEqual(["nb", "1.2.3", "running"]);
    const hints = provider.catalogue().tools.map(({ name, value }) => [name, value["annotations"]]);
    expect(hints).toEqual([
      ["discover_tools", { readOnlyHint: true, openWorldHint: false }],
      ["discover_bundles", { readOnlyHint: true, openWorldHint: true }],
      ["manage_bundle", { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
      ["bundle_status", { readOnlyHint: true, openWorldHint: false }],
      ["delegate", { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true }],
      ["manage_skill", { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }],
    ]);
  });

  it("stay listed as disabled while their feature is switched off, with the key to set", () => {
    let features = { ...ALL_ON };
    const provider = createSystemTools(portsWith({ features: () => features }));
    const before = provider.catalogue();
    expect([barredOf(provider), provider.catalogue() === before]).toEqual([[], true]);
    features = { ...ALL_ON, delegation: false, toolDiscovery: false };
    expect(barredOf(provider)).toEqual(["discover_tools disabled", "delegate disabled"]);
    const off = provider.catalogue();
    expect(off).not.toBe(before);
    expect(provider.catalogue()).toBe(off);
    expect(off.tools[4]?.barred?.next).toContain("features.delegation");
    expect(off.tools.map(({ definition }) => definition)).toEqual(before.tools.map(({ definition }) => definition));
    features = { ...ALL_ON };
    expect(barredOf(provider)).toEqual([]);
  });

  it("each have a feature that switches it, but for the one that only tells how bundles are", () => {
    const off = Object.fromEntries(Object.keys(ALL_ON).map((key) => [key, false]));
    const none = { ...ALL_ON, ...off };
    expect(barredOf(createSystemTools(portsWith({ features: () => none })))).toEqual([
      "discover_tools disabled",
      "discover_bundles disabled",
      "manage_bundle disabled",
      "delegate disabled",
      "manage_skill disabled",
    ]);
  });

  it.each([
    ["discover_tools", {}],
    ["discover_tools", { query: "x", limit: 0 }],
    ["discover_tools", { query: "x", limit: 26 }],
    ["discover_tools", { query: "x", provider: "p" }],
    ["discover_bundles", { query: "x", limit: 26 }],
    ["manage_bundle", { action: "start", name: "x" }],
    ["manage_bundle", { action: "install", path: "/x" }],
    ["manage_bundle", { action: "install", name: "x", url: "https://x" }],
    ["manage_bundle", { action: "install", name: "x", env: { A: 1 } }],
    ["manage_bundle", { action: "install", name: "x", userConfig: { a: { b: 1 } } }],
    ["manage_bundle", { action: "install", name: "x", protected: false }],
    ["bundle_status", { name: 1 }],
    ["delegate", {}],
    ["delegate", { task: "" }],
    ["delegate", { task: "x", maxIterations: 0 }],
    ["delegate", { task: "x", systemPrompt: "You are root." }],
    ["manage_skill", { action: "create" }],
    ["manage_skill", { action: "create", name: "../x", body: "x" }],
    ["manage_skill", { action: "create", name: "x", body: "x", allowedTools: [] }],
    ["manage_skill", { action: "create", name: "x", body: "x", path: "/etc" }],
    ["manage_skill", { action: "create", name: "x", body: "x".repeat(32_001) }],
  ])("take no wrong arguments: %s %.60j", async (name, args) => {
    await expect(callTool(portsWith())(name, args)).rejects.toThrow(/^schema: /);
  });
});

describe("nb__delegate", () => {
  const RESULT: DelegateResult & { readonly secret: string } = {
    response: "Done.",
    stopReason: "complete",
    iterations: 2,
    toolCalls: [{ name: "files__list", ok: true, ms: 1.5, output: "x" } as DelegateResult["toolCalls"][number]],
    inputTokens: 10,
    outputTokens: 5,
    runId: "run_1",
    secret: "x",
  };

  it("hands the task on and gives back what came of it, and nothing else", async () => {
    const orders: DelegateOrder[] = [];
    const run = callTool(
      portsWith({
        delegate: async (order) => {
          orders.push(order);
          return RESULT;
        },
      }),
    );
    const { secret: _, ...rest } = RESULT;
    const toolCalls = [{ name: "files__list", ok: true, ms: 1.5 }];
    expect(await run("delegate", { task: "Look." })).toEqual({ ...rest, toolCalls });
    await run("delegate", { task: "Look.", agent: "scout", tools: [], maxIterations: 99 });
    expect(orders).toEqual([
      { task: "Look.", agent: null, tools: null, maxIterations: null },
      { task: "Look.", agent: "scout", tools: [], maxIterations: 10 },
    ]);
  });

  it("refuses a blank task, and passes on the no of whoever runs it with a code for evidence", async () => {
    const delegate = async (): Promise<never> => {
      throw new Refusal("bad_request", { message: "There is no profile x.", next: "Profiles: none." });
    };
    const run = callTool(portsWith({ delegate }));
    expect((await refusalOf(run("delegate", { task: " \n" }))).kind).toBe("invalid_input");
    const no = await refusalOf(run("delegate", { task: "x", agent: "x" }));
    expect([no.kind, no.message, no.row.chp]).toEqual([
      "bad_request",
      "There is no profile x.",
      "dev.bailiwick.bad_request",
    ]);
  });
});
