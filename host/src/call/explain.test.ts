import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RawCall } from "../kernel/call.ts";
import { NO_ENVELOPE } from "../kernel/envelope.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { Principal } from "../kernel/principal.ts";
import type { ProviderState } from "../kernel/provider.ts";
import { rawOf, realEnd, withHost } from "./explain-for-tests.ts";
import { configOf, principalOf } from "./policy/policy-for-tests.ts";

const AGENT = principalOf({ id: "agent:planning-assistant", kind: "agent", permissions: ["service:dispatch"] });
const SEED = {
  capabilities: {
    dispatch__schedule: {
      id: "schedule_technician",
      version: "1.0.0",
      risk_tier: "high",
      auth_required: true,
      allowed_actors: ["agent://planning-assistant"],
      required_permissions: ["service:dispatch"],
    },
  },
};

describe("explain", () => {
  it("shows every check once, in order, and what a person would have to decide", () => {
    const found = withHost(SEED, ({ explain }) => explain(rawOf(), AGENT));
    expect(found).toMatchObject({
      tool: "dispatch__schedule",
      capability_id: "schedule_technician",
      principal: "agent://planning-assistant",
      verdict: "wait",
      decided_by: { stage: 8, name: "approval", rule: "shipped:risk" },
      digest: "sha256:1",
      next: { fixer: "approver", do: "Call it." },
    });
    expect(found.stages.map(({ stage, check }) => `${stage} ${check}`)).toEqual([
      "3 key_scope",
      "3 tool",
      "3 version",
      "3 allowed_actors",
      "3 surface_token",
      "4 state",
      "4 mode",
      "5 required_capabilities",
      "6 mandate",
      "6 auth_required",
      "6 required_permissions",
      "6 data_classification",
      "6 capability_lists",
      "6 max_risk_tier",
      "6 block_patterns",
      "6 rules",
      "6 invariants",
      "6 rate",
      "6 budget",
      "7 schema",
      "7 workspace_paths",
      "7 guardrails",
      "8 shipped:risk",
    ]);
    expect(found.stages.filter(({ status }) => status !== "pass")).toHaveLength(1);
  });

  it("shows all obstacles at once, and the first as the one that decides", () => {
    const rules = [{ id: "closed", match: {}, effect: "deny", next: "Wait for Monday" }];
    const policy = { ...SEED, rules, guardrails: [{ id: "g", tools: ["*"], requires_human_for: ["*"] }] };
    const found = withHost(policy, ({ explain }) =>
      explain(rawOf({ args: {} }), { ...AGENT, permissions: [], assurance: "local" }),
    );
    const failed = found.stages.filter(({ status }) => status === "fail").map(({ check }) => check);
    expect(failed).toEqual(["auth_required", "required_permissions", "rules", "schema", "guardrails", "shipped:risk"]);
    expect(found.decided_by).toEqual({ stage: 6, name: "policy", rule: "auth_required" });
    expect(found.verdict).toBe("refuse");
    for (const { status, next } of found.stages) if (status === "fail") expect(next).not.toBe("");
  });

  it.each<[string, Partial<RawCall>, Principal, string]>([
    ["a tool for others", {}, principalOf(), "allowed_actors"],
    ["a name that nothing has", { name: "dispatch__none" }, AGENT, "tool"],
    ["a name out of the key's scope", {}, { ...AGENT, scopes: ["other__*"] }, "key_scope"],
    ["another version", { envelope: { ...NO_ENVELOPE, version: "^2.0.0" } }, AGENT, "version"],
    ["a list that is old", { surface: "s1_old" }, AGENT, "surface_token"],
  ])("reports %s as the call would", (_, more, principal, rule) => {
    const found = withHost(SEED, ({ explain }) => explain(rawOf(more), principal));
    expect(found.decided_by).toEqual({ stage: 3, name: "surface", rule });
    expect(JSON.stringify(found)).not.toContain(principal === AGENT ? "person:ann" : 'agent:planning-assistant"');
    if (rule === "version" || rule === "surface_token") return expect(found.tool).toBe("dispatch__schedule");
    expect(found).toMatchObject({ tool: null, capability_id: null, digest: null });
    return expect(found.stages.filter(({ stage }) => stage > 3).every(({ status }) => status === "not_evaluated")).toBe(
      true,
    );
  });

  it("asks nobody to approve what validation would refuse", () => {
    const [explained, real] = withHost(SEED, (host) => {
      const raw = rawOf({ args: {} });
      return [host.explain(raw, AGENT), realEnd(host, rawOf({ args: {} }), AGENT)] as const;
    });
    expect(real).toBe("7");
    expect(explained).toMatchObject({ verdict: "refuse", decided_by: { stage: 7, rule: "schema" } });
  });

  it("shows what audit mode lets pass as a warning", () => {
    const policy = { mode: "audit", rules: [{ id: "no", match: {}, effect: "deny" }] };
    const found = withHost(policy, ({ explain }) =>
      explain(rawOf({ name: "dispatch__free", args: {} }), principalOf()),
    );
    expect(found.verdict).toBe("run");
    expect(found.stages.find(({ check }) => check === "rules")?.status).toBe("warn");
  });

  it("uses nothing up", () => {
    const limit = { per: "host", calls: 1, window_s: 60 };
    const policy = { rules: [{ id: "one", match: {}, effect: "limit", limit }] };
    withHost(policy, ({ explain }) => {
      const free = rawOf({ name: "dispatch__free", args: {} });
      for (let i = 0; i < 5; i++) expect(explain(free, principalOf()).verdict).toBe("run");
    });
  });

  it("ends where a real call made next would", () => {
    const rule = fc.record({
      match: fc.constantFrom(
        {},
        { tools: ["dispatch__free"] },
        { principals: ["agent:*"] },
        { doors: ["mcp"] },
        { risk_at_least: "high" },
      ),
      effect: fc.constantFrom("allow", "deny", "require_approval"),
    });
    const overlay = fc.constantFrom(
      {},
      ...Object.values(SEED.capabilities),
      { enabled: false },
      { status: "deprecated" },
      { rsk: 1 },
      { data_classification: "restricted" },
      { risk: "critical" },
    );
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 3 }),
        overlay,
        fc.constantFrom("dispatch__schedule", "dispatch__needy", "dispatch__free", "dispatch__none"),
        fc.constantFrom({}, { slot: 1 }),
        fc.constantFrom(AGENT, principalOf(), principalOf({ assurance: "local" })),
        fc.constantFrom<ProviderState>("running", "crashed", "dead"),
        fc.constantFrom(null, { ...NO_ENVELOPE, mode: "stream" as const }, { ...NO_ENVELOPE, version: "^9.0.0" }),
        (rules, said, name, args, principal, state, envelope) => {
          const policy = {
            rules: rules.map((each, index) => ({ id: `r${index}`, ...each })),
            capabilities: { dispatch__schedule: said, dispatch__free: said },
            host: { max_risk_tier: "high" },
            guardrails: [{ id: "g", tools: ["dispatch__free"], deny_if: [{ path: "/slot", op: "exists" }] }],
          };
          withHost(
            policy,
            (host) => {
              const explained: Explanation = host.explain(rawOf({ name, args, envelope }), principal);
              const end = realEnd(host, rawOf({ name, args, envelope }), principal);
              expect(explained.decided_by === null ? "runs" : String(explained.decided_by.stage)).toBe(end);
            },
            state,
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("descriptors", () => {
  it("are of what the caller may see, and the same objects while nothing changes", () => {
    withHost(SEED, ({ descriptors, book }) => {
      const ids = (principal: Principal) => descriptors(principal).map(({ id }) => id);
      expect(ids(AGENT)).toEqual(["dispatch__free", "dispatch__needy", "schedule_technician"]);
      expect(ids(principalOf())).toEqual(["dispatch__free", "dispatch__needy"]);
      expect(descriptors(AGENT)).toBe(descriptors(AGENT));
      expect(descriptors(AGENT, "none")).toEqual([]);
      book.replace(configOf());
      expect(ids(AGENT)).toEqual(["dispatch__free", "dispatch__needy", "dispatch__schedule"]);
    });
  });
});
