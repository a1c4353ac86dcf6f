import { describe, expect, it } from "vitest";
import { NO_ENVELOPE } from "../../kernel/envelope.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { AGENT, endOf, openBench, principalOf, refusalOf, toolOf, type CallFacts } from "./policy-for-tests.ts";

const overlaid = (overlay: object, more: object = {}, options = {}) =>
  openBench({ capabilities: { billing__refund: overlay }, ...more }, options);

const RISKY = toolOf({ annotations: { destructiveHint: true } });

describe("what a capability's fields say binds", () => {
  it.each<[object, CallFacts, string]>([
    [{ auth_required: true }, {}, "run"],
    [{ auth_required: true }, { principal: principalOf({ assurance: "local" }) }, "policy_denied"],
    [{ required_permissions: ["a:b"] }, {}, "permission_missing"],
    [{ required_permissions: ["a:b"] }, { principal: principalOf({ permissions: ["a:b"] }) }, "run"],
    [{ required_permissions: ["a:b"] }, { principal: principalOf({ permissions: ["a:*"] }) }, "run"],
    [
      { required_permissions: ["a:b", "c"] },
      { principal: principalOf({ permissions: ["a:b"] }) },
      "permission_missing",
    ],
    [{ data_classification: "public" }, {}, "run"],
    [{ data_classification: "internal" }, {}, "run"],
    [{ data_classification: "confidential" }, {}, "policy_denied"],
    [{ data_classification: "confidential" }, { principal: principalOf({ clearance: "confidential" }) }, "run"],
    [{ data_classification: "confidential" }, { principal: principalOf({ clearance: "restricted" }) }, "run"],
    [{ data_classification: "secret" }, { principal: principalOf({ clearance: "restricted" }) }, "policy_denied"],
    [{ data_classification: "public" }, { principal: principalOf({ clearance: "unknown" }) }, "policy_denied"],
  ])("%j", (overlay, facts, expected) => {
    for (const policy of [{}, { mode: "audit" }]) expect(endOf(overlaid(overlay, policy), facts)).toBe(expected);
  });

  it("asks for the permission of both, of who acts and of whom it acts for", () => {
    const agent = { ...AGENT, permissions: ["a"] };
    const policy = { required_permissions: ["a"] };
    expect(endOf(overlaid(policy, {}, { permissionsBehind: () => ["a"] }), { principal: agent })).toBe("run");
    const no = refusalOf(() => overlaid(policy, {}, { permissionsBehind: () => [] }).run({ principal: agent }));
    expect(no.details).toMatchObject({ required_permission: "a", missing: ["a"] });
    expect(no.next).toContain("both agent:planner and person:ann");
  });

  it.each<[object, CallFacts, string]>([
    [{ max_risk_tier: "medium" }, { tool: RISKY }, "policy_denied"],
    [{ max_risk_tier: "high" }, { tool: RISKY }, "run"],
    [{}, { tool: RISKY, principal: principalOf({ maxRiskTier: "medium" }) }, "policy_denied"],
    [{ max_risk_tier: "critical" }, { principal: principalOf({ maxRiskTier: "low" }) }, "policy_denied"],
  ])("a risk above the lowest bound is denied, in audit mode too: %j", (host, facts, expected) => {
    for (const mode of ["enforce", "audit"]) expect(endOf(openBench({ host, mode }), facts)).toBe(expected);
  });

  it.each(["mcp", "rest", "cli", "program", "chp"] as const)(
    "at the %s door as at any other, with a next step",
    (door) => {
      const local = principalOf({ assurance: "local" });
      const cases: [object, CallFacts][] = [
        [{ auth_required: true }, { principal: local }],
        [{ required_permissions: ["a"] }, {}],
        [{ data_classification: "restricted" }, {}],
        [{ risk: "critical" }, { principal: principalOf({ maxRiskTier: "high" }) }],
      ];
      for (const [overlay, facts] of cases) {
        const no = refusalOf(() => overlaid(overlay).run({ ...facts, door }));
        expect(no.next).not.toBe("");
        expect(no.row.rest).toBe(403);
        expect(no.details["policy_version"]).toMatch(/^sha256:/);
      }
    },
  );

  it("names the bound that decided", () => {
    const no = refusalOf(() => openBench({ host: { max_risk_tier: "medium" } }).run({ tool: RISKY }));
    expect(no.details["matched_rule"]).toBe("max_risk_tier:medium");
  });

  it.each([
    [{ id: "i", kind: "required_payload_fields", enforcement: "host", parameters: { fields: ["value"] } }, {}, true],
    [
      { id: "i", kind: "required_payload_fields", enforcement: "host", parameters: { fields: ["value"] } },
      { value: null },
      false,
    ],
    [{ id: "i", kind: "required_payload_fields", enforcement: "host", parameters: { fields: ["toString"] } }, {}, true],
    [
      { id: "i", kind: "required_payload_fields", enforcement: "declarative", parameters: { fields: ["x"] } },
      {},
      false,
    ],
    [
      {
        id: "i",
        kind: "required_payload_fields",
        enforcement: "host",
        failure_behavior: "warn",
        parameters: { fields: ["x"] },
      },
      {},
      false,
    ],
    [
      {
        id: "i",
        kind: "required_payload_fields",
        enforcement: "host",
        failure_behavior: "degrade",
        parameters: { fields: ["x"] },
      },
      {},
      true,
    ],
    [{ id: "i", kind: "something_new", enforcement: "host" }, {}, true],
    [{ id: "i", kind: "something_new", enforcement: "runtime" }, {}, false],
  ])("an invariant that the host enforces: %j for %j", (invariant, args, broken) => {
    const bench = overlaid({ invariants: [invariant] });
    expect(endOf(bench, { args })).toBe(broken ? "invariant_failed" : "run");
    if (broken) expect(refusalOf(() => bench.run({ args })).details["invariant_id"]).toBe("i");
  });
});

describe("the checks are asked in their order", () => {
  const everything = {
    capabilities: {
      billing__refund: {
        auth_required: true,
        required_permissions: ["a"],
        data_classification: "restricted",
        risk: "critical",
        invariants: [{ id: "i", kind: "required_payload_fields", enforcement: "host", parameters: { fields: ["v"] } }],
        autonomy: { action_limit: 0 },
      },
    },
    host: {
      allowed_capability_ids: ["none"],
      max_risk_tier: "low",
      block_patterns: [{ capability_id: "*", field: "x", pattern: ".*" }],
    },
    rules: [{ id: "r", match: {}, effect: "deny" }],
  };
  const without = (path: string[]): object => {
    const copy = structuredClone(everything) as Record<string, unknown>;
    const last = path.at(-1)!;
    let at = copy;
    for (const step of path.slice(0, -1)) at = at[step] as Record<string, unknown>;
    delete at[last];
    return copy;
  };
  const mandates = () => {
    throw new Refusal("mandate_invalid", { message: "No.", next: "None." });
  };

  it("mandate, authentication, permission, class, host policy, rules, invariants, limits", () => {
    const local = principalOf({ assurance: "local" });
    const matched = (policy: object, principal = principalOf(), options = {}) =>
      refusalOf(() => openBench(policy, options).run({ principal }));
    expect(matched(everything, local, { mandates }).kind).toBe("mandate_invalid");
    expect(matched(everything, local).details["matched_rule"]).toBe("auth_required");
    expect(matched(everything).kind).toBe("permission_missing");
    const cleared = principalOf({ permissions: ["a"] });
    expect(matched(everything, cleared).details["matched_rule"]).toBe("data_classification");
    const free = principalOf({ permissions: ["a"], clearance: "restricted" });
    expect(matched(everything, free).details["matched_rule"]).toBe("allowed_capability_ids");
    const steps: [string[], string][] = [
      [["host", "allowed_capability_ids"], "max_risk_tier:low"],
      [["host"], "r"],
    ];
    for (const [path, rule] of steps) expect(matched(without(path), free).details["matched_rule"]).toBe(rule);
    const patterns = { ...everything, host: { block_patterns: everything.host.block_patterns } };
    expect(matched(patterns, free).details["matched_rule"]).toBe("block_patterns[0]");
    const unruled = { capabilities: everything.capabilities };
    expect(matched(unruled, free).kind).toBe("invariant_failed");
    const filled = refusalOf(() => openBench(unruled).run({ principal: free, args: { v: 1 } }));
    expect(filled.kind).toBe("budget_exceeded");
  });
});

describe("a mandate", () => {
  const envelope = { ...NO_ENVELOPE, mandate: {} };

  it("is verified even where nothing else is configured, and attributes the call", () => {
    const facts = { mandate_id: "m" };
    const admission = { take: () => ({ writes: [], release: () => {} }) };
    const { verdict } = openBench({}, { mandates: () => ({ facts, admissions: [admission] }) }).run({ envelope });
    expect(verdict).toMatchObject({ mandate: facts, admissions: [admission] });
  });

  it("that nobody reads does not let a call run under it", () => {
    expect(endOf(openBench(), { envelope })).toBe("mandate_invalid");
    expect(endOf(openBench(), { envelope: NO_ENVELOPE })).toBe("run");
  });
});

describe("audit mode", () => {
  const events = (policy: object, facts?: CallFacts) =>
    openBench({ mode: "audit", ...policy })
      .run(facts)
      .verdict.admissions.flatMap((each) => each.take({ id: "inv", correlation: {} as never }).events ?? []);

  it.each([
    [{ rules: [{ id: "r", match: {}, effect: "deny" }] }, "r"],
    [{ shipped: false }, "default:deny"],
    [{ host: { block_capability_ids: ["billing__refund"] } }, "block_capability_ids"],
    [{ host: { block_patterns: [{ capability_id: "*", field: "x", pattern: "" }] } }, "block_patterns[0]"],
  ])("records what would be denied, and lets it pass: %j", (policy, rule) => {
    const [event] = events(policy);
    expect(event?.type).toBe("dev.bailiwick.policy_would_deny");
    expect(JSON.parse(event!.payload)).toMatchObject({ matched_rule: rule });
  });

  it("never suspends an approval or a limit", () => {
    const rules = [
      { id: "no", match: {}, effect: "deny" },
      { id: "ask", match: {}, effect: "require_approval" },
      { id: "two", match: {}, effect: "limit", limit: { per: "host", calls: 2, window_s: 60 } },
    ];
    const { verdict } = openBench({ mode: "audit", rules }).run();
    expect(verdict.demand?.rule).toBe("ask");
    expect(verdict.admissions).toHaveLength(2);
  });
});
