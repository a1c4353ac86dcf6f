import { describe, expect, it } from "vitest";
import {
  AGENT,
  configOf as configFor,
  endOf,
  openBench,
  principalOf,
  refusalOf,
  toolOf,
  type CallFacts,
} from "./policy-for-tests.ts";

const ruled = (match: object, effect = "deny", more: object = {}) =>
  openBench({ rules: [{ id: "r", match, effect, ...more }] });

const RISKY = toolOf({ annotations: { destructiveHint: true } });
const READ: CallFacts = { operation: "read", tool: null, flatName: "billing:resources", uri: "doc://2026/a" };

describe("a rule is about a call when all that it names holds", () => {
  it.each<[object, CallFacts, boolean]>([
    [{}, {}, true],
    [{ tools: ["billing__refund"] }, {}, true],
    [{ tools: ["billing__ref*"] }, {}, true],
    [{ tools: ["*__refund"] }, {}, true],
    [{ tools: ["billing__refunds", ""] }, {}, false],
    [{ tools: [] }, {}, false],
    [{ principals: ["person:ann"] }, {}, true],
    [{ principals: ["person://ann"] }, {}, true],
    [{ principals: ["person:*"] }, { principal: AGENT }, false],
    [{ principals: ["agent:*"] }, { principal: AGENT }, true],
    [
      { principals: ["runner"] },
      { principal: principalOf({ id: "service:runner", subject: { id: "runner", type: "api_key" } }) },
      true,
    ],
    [{ principals: ["runner"] }, { principal: principalOf({ id: "person:runner" }) }, false],
    [{ doors: ["mcp", "agent"] }, {}, true],
    [{ doors: ["rest"] }, {}, false],
    [{ operations: ["call"] }, {}, true],
    [{ operations: ["read", "prompt"] }, {}, false],
    [{ operations: ["read"] }, READ, true],
    [{ operations: ["read"] }, { ...READ, operation: "skill" }, true],
    [{ operations: ["prompt"] }, { operation: "prompt", tool: null }, true],
    [{ operations: ["prompt"] }, { operation: "complete", tool: null }, true],
    [{ operations: ["host-resources"] }, {}, false],
    [{ resources: ["doc://2026/*"] }, READ, true],
    [{ resources: ["doc://2027/*"] }, READ, false],
    [{ resources: ["*"] }, {}, false],
    [{ tools: ["billing__*"] }, READ, false],
    [{ annotations: { destructiveHint: true } }, { tool: RISKY }, true],
    [{ annotations: { destructiveHint: false } }, { tool: RISKY }, false],
    [{ annotations: { destructiveHint: true } }, {}, false],
    [{ risk_at_least: "high" }, { tool: RISKY }, true],
    [{ risk_at_least: "high" }, {}, false],
    [{ risk_at_least: "medium" }, {}, true],
    [{ arguments: [{ path: "/amount", op: ">", value: 100 }] }, { args: { amount: 101 } }, true],
    [{ arguments: [{ path: "/amount", op: ">", value: 100 }] }, { args: { amount: 100 } }, false],
    [{ tools: ["billing__*"], doors: ["rest"] }, {}, false],
  ])("%j", (match, facts, expected) => {
    expect(endOf(ruled(match), facts)).toBe(expected ? "policy_denied" : "run");
  });

  it.each([
    ["missing", {}],
    ["of another type", { amount: "200" }],
  ])("an argument that is %s holds for all but allow", (_, args) => {
    const match = { arguments: [{ path: "/amount", op: ">", value: 100 }] };
    expect(endOf(ruled(match, "deny"), { args })).toBe("policy_denied");
    expect(endOf(ruled(match, "require_approval"), { args })).toBe("wait");
    const only = openBench({ shipped: false, rules: [{ id: "r", match, effect: "allow" }] });
    expect(endOf(only, { args })).toBe("policy_denied");
    expect(endOf(only, { args: { amount: 101 } })).toBe("run");
  });
});

describe("of all rules the most restrictive wins", () => {
  const rule = (effect: string, more: object = {}) => ({ id: effect, match: {}, effect, ...more });

  it.each([
    [["allow"], "run"],
    [["allow", "require_approval"], "wait"],
    [["require_approval", "allow", "deny"], "policy_denied"],
    [["deny", "allow"], "policy_denied"],
    [["require_approval"], "policy_denied"],
    [[], "policy_denied"],
  ])("%j ends as %s, in any order", (effects, expected) => {
    const rules = effects.map((effect) => rule(effect));
    for (const order of [rules, rules.toReversed()]) {
      expect(endOf(openBench({ shipped: false, rules: order }))).toBe(expected);
    }
  });

  it("names the rule, the policy and the next step of a denial", () => {
    const bench = ruled({}, "deny", { reason: "Not on Sundays", next: "Come back on Monday" });
    const no = refusalOf(() => bench.run());
    expect(no.message).toBe("Policy refuses billing__refund: Not on Sundays.");
    expect(no.next).toBe("Come back on Monday.");
    expect(no.details).toEqual({
      decision: "deny",
      matched_rule: "r",
      policy_version: bench.book.of("ws_default").version,
      explanation: "Not on Sundays.",
      required_next_action: "Come back on Monday.",
    });
  });

  it("says that nothing allows it where nothing does", () => {
    const no = refusalOf(() => openBench({ shipped: false }).run());
    expect(no.details["matched_rule"]).toBe("default:deny");
  });

  it("adds all demands up: each list of approvers, the highest count, the shortest time", () => {
    const demand = (id: string, approval: object) => ({ id, match: {}, effect: "require_approval", approval });
    const { verdict } = openBench({
      rules: [
        demand("a", { approvers: ["role:manager", "person://bo"], count: 2, ttl_s: 60 }),
        demand("b", { approvers: ["person:bo"], four_eyes: true }),
        demand("c", {}),
      ],
    }).run();
    expect(verdict.rule).toBe("a+b");
    expect(verdict.demand).toEqual({
      rule: "a+b",
      approvers: [["role:manager", "person:bo"], ["person:bo"]],
      count: 2,
      fourEyes: true,
      ttlS: 60,
    });
  });

  it("takes the rules of a workspace beside the host's, and only there", () => {
    const own = openBench({ rules: [{ id: "own", match: {}, effect: "deny" }] }).book;
    const closed = { mode: "audit", shipped: false, rules: [{ id: "own", match: {}, effect: "deny" }] };
    const bench = openBench({}, { ofWorkspace: (id) => (id === "ws_a" ? configFor(closed) : null) });
    expect(own.of("ws_default").rules[0]?.source).toBe("host");
    expect(endOf(bench)).toBe("run");
    expect(endOf(bench, { principal: principalOf({ workspace: "ws_a" }) })).toBe("policy_denied");
  });

  it("does not let a workspace switch the shipped rules off or audit on", () => {
    const loose = configFor({ mode: "audit", shipped: false });
    const bench = openBench(
      { rules: [{ id: "r", match: { tools: ["x__*"] }, effect: "deny" }] },
      { ofWorkspace: () => loose },
    );
    expect(endOf(bench, { tool: RISKY, principal: AGENT })).toBe("wait");
    expect(endOf(bench, { flatName: "x__y" })).toBe("policy_denied");
  });
});

describe("the shipped rules", () => {
  it.each<[string, CallFacts, string]>([
    ["a person's call of a risky tool", { tool: RISKY }, "run"],
    ["an agent's call of a risky tool", { tool: RISKY, principal: AGENT }, "wait"],
    ["an agent's call of another", { principal: AGENT }, "run"],
    ["an agent's command", { flatName: "bash__run", principal: AGENT }, "wait"],
    ["a person's command", { flatName: "bash__run" }, "run"],
    ["an agent's install", { flatName: "nb__manage_bundle", principal: AGENT }, "wait"],
    ["an agent's skill", { flatName: "nb__manage_skill", principal: AGENT }, "wait"],
    ["an app's command", { flatName: "bash__run", principal: principalOf({ id: "app:x", kind: "app" }) }, "wait"],
  ])("decide %s", (_, facts, expected) => {
    expect(endOf(openBench(), facts)).toBe(expected);
  });

  it("cost nothing where they say nothing: the same verdict for every call", () => {
    const bench = openBench();
    expect(bench.run().verdict).toBe(bench.run().verdict);
    expect(bench.run().verdict.rule).toBe("shipped:members");
  });
});

describe("a rule that cannot be read", () => {
  it.each<[string, object]>([
    ["an unknown member", { id: "r", match: { tools: ["billing__*"] }, effect: "allow", efect: 1 }],
    ["an unknown matcher", { id: "r", match: { tools: ["billing__*"], tool: ["x"] }, effect: "allow" }],
    [
      "a failing pattern",
      {
        id: "r",
        match: { tools: ["billing__*"], arguments: [{ path: "/a", op: "matches", value: "(" }] },
        effect: "deny",
      },
    ],
    [
      "a bad pointer",
      { id: "r", match: { tools: ["billing__*"], arguments: [{ path: "a", op: "exists" }] }, effect: "allow" },
    ],
    ["an unknown effect", { id: "r", match: { tools: ["billing__*"] }, effect: "permit" }],
    [
      "an unknown limit",
      { id: "r", match: { tools: ["billing__*"] }, effect: "allow", limit: { per: "moon", calls: 1, window_s: 1 } },
    ],
    ["a limit that is none", { id: "r", match: { tools: ["billing__*"] }, effect: "limit" }],
    ["an unknown operation", { id: "r", match: { tools: ["billing__*"], operations: ["write"] }, effect: "allow" }],
    [
      "an approval by nobody",
      { id: "r", match: { tools: ["billing__*"] }, effect: "require_approval", approval: { approvers: [] } },
    ],
  ])("for %s denies what it could be about, and nothing else", (_, rule) => {
    const bench = openBench({ rules: [rule] });
    const no = refusalOf(() => bench.run());
    expect(no.kind).toBe("policy_denied");
    expect(no.message).toContain("cannot be read");
    expect(endOf(bench, { flatName: "other__x" })).toBe("run");
    expect(bench.book.report("ws_default").diagnostics).toMatchObject([{ severity: "error" }]);
  });
});
