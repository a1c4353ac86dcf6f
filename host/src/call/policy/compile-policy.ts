/**
 * The policy that is in force in one workspace: the host's file, the workspace's own and the shipped rules as one. A
 * workspace only adds to what the host's file forbids: mode, shipped rules and classifications are the host's alone.
 */
import { hash } from "node:crypto";
import { readArgumentTest } from "../../kernel/argument-test.ts";
import type { Capability } from "../../kernel/capability.ts";
import { RISK_TIERS, type RiskTier } from "../../kernel/risk-tier.ts";
import type { PolicyDiagnostic } from "../../kernel/policy-report.ts";
import type { ListedTool, Provider } from "../../kernel/provider.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { stable } from "../../kernel/stable.ts";
import type { Target, Verdict } from "../../kernel/stages.ts";
import { compileHostPolicy, type HostPolicy } from "./host-policy.ts";
import { createCapabilities } from "./capabilities.ts";
import { compileRule } from "./compile-rule.ts";
import { readOverlays, type Overlays, type PolicyConfig } from "./overlays.ts";
import type { Rule, Source } from "./rule.ts";
import { SHIPPED_RULES } from "./shipped-rules.ts";

/** What is known about the calls of a tool before there is one. */
export interface Prepared {
  /** Those that fit. */
  readonly rules: readonly Rule[];
  /** The ids and names by which `policy.host` may mean it. */
  readonly ids: readonly string[];
  /** What holds for a caller with no bounds of its own; null: the call itself has to be looked at. */
  readonly plain: Verdict | null;
}

export interface Policy {
  /** Differs for every policy that was ever in force. */
  readonly generation: number;
  readonly version: string;
  readonly mode: PolicyConfig["mode"];
  readonly rules: readonly Rule[];
  readonly hosts: readonly HostPolicy[];
  readonly maxRisk: RiskTier | null;
  readonly classifications: readonly string[];
  readonly guardrails: PolicyConfig["guardrails"];
  readonly overlays: Overlays;
  /** Everybody who is named as one who decides about approvals: `person:...`, `role:...`, `key:...`. */
  readonly approvers: ReadonlySet<string>;
  readonly diagnostics: readonly PolicyDiagnostic[];
  /** Where calls may work, for tests that ask whether a path lies there; null: nobody knows. */
  readonly rootsOf: RootsOf | null;
  capabilityOf(provider: Provider, tool: ListedTool | null, flatName: string): Capability;
  prepare(target: Pick<Target, "flatName" | "tool" | "capability">): Prepared;
}

export interface PolicySources {
  readonly host: PolicyConfig;
  readonly workspace: PolicyConfig | null;
  readonly generation: number;
  readonly rootsOf: RootsOf | null;
}

const SHIPPED_NAME = /^(?:shipped|default):/;

export const compilePolicy = ({ host, workspace, generation, rootsOf }: PolicySources): Policy => {
  const overlays = readOverlays(host, workspace);
  const own = [...rulesOf(host, "host"), ...(workspace === null ? [] : rulesOf(workspace, "workspace"))];
  const rules = [...own, ...(host.shipped ? SHIPPED_RULES : [])];
  const written = [host.host, workspace?.host].filter((each) => each !== undefined);
  const hosts = written.map(compileHostPolicy);
  const version = `sha256:${hash("sha256", stable({ host, workspace }))}`;
  const { mode, classifications } = host;
  const guardrails = [...host.guardrails, ...(workspace?.guardrails ?? [])];
  const maxRisk = lowestRisk(hosts.map((each) => each.maxRisk));
  const prepared = new WeakMap<Capability, Prepared>();

  const prepare = (target: Pick<Target, "flatName" | "tool" | "capability">): Prepared => {
    const { capability, flatName } = target;
    const fitting = rules.filter((rule) => rule.fits(target));
    const free = mode === "enforce" && hosts.length === 0 && isUnbound(capability);
    const [only, second] = fitting;
    const opens = only !== undefined && second === undefined && only.effect === "allow" && !only.holds && !only.limit;
    const plain: Verdict = {
      rule: only?.id ?? "",
      policyVersion: version,
      demand: null,
      admissions: [],
      mandate: null,
    };
    return { rules: fitting, ids: [capability.id, flatName], plain: free && opens ? Object.freeze(plain) : null };
  };

  return {
    generation,
    rootsOf,
    version,
    mode,
    rules,
    hosts,
    maxRisk,
    classifications,
    guardrails,
    overlays,
    approvers: new Set([...rules.flatMap(({ demand }) => demand?.approvers?.flat() ?? []), ...overlays.approvers]),
    diagnostics: [
      ...overlays.diagnostics,
      ...faultsOf(own),
      ...hosts.flatMap(({ faults }) => faults.map(hostFault)),
      ...guardrails.flatMap(guardrailFaults),
    ],
    capabilityOf: createCapabilities({ overlays, classifications }),
    prepare(target) {
      const known = prepared.get(target.capability);
      if (known) return known;
      const made = prepare(target);
      prepared.set(target.capability, made);
      return made;
    },
  };
};

const rulesOf = ({ rules }: PolicyConfig, source: Source): Rule[] =>
  rules.map((rule, index) =>
    compileRule(rule as Readonly<Record<string, unknown>>, source, `${source}:rules[${index}]`),
  );

const isUnbound = (capability: Capability): boolean =>
  !capability.authRequired &&
  capability.requiredPermissions.length === 0 &&
  capability.classification === null &&
  capability.autonomy === null &&
  capability.invariants.length === 0;

export const lowestRisk = (tiers: readonly (RiskTier | null | undefined)[]): RiskTier | null =>
  RISK_TIERS.find((tier) => tiers.includes(tier)) ?? null;

const hostFault = (fault: string): PolicyDiagnostic => ({
  severity: "error",
  where: "policy.host",
  message: `${fault}; everything that it could be about is denied.`,
});

const guardrailFaults = ({ id, deny_if: tests = [] }: PolicyConfig["guardrails"][number]): PolicyDiagnostic[] =>
  tests.flatMap((test) => {
    const read = readArgumentTest(test);
    if ("test" in read) return [];
    const where = `policy.guardrails ${JSON.stringify(id)}`;
    return [{ severity: "error", where, message: `${read.fault}; it blocks every call of its tools.` }];
  });

const faultsOf = (rules: readonly Rule[]): PolicyDiagnostic[] => {
  const seen = new Set<string>();
  return rules.flatMap(({ id, source, unreadable }): PolicyDiagnostic[] => {
    const where = `${source === "workspace" ? "workspace.json: " : ""}policy.rules ${JSON.stringify(id)}`;
    const twice = seen.has(`${source} ${id}`);
    seen.add(`${source} ${id}`);
    if (unreadable !== null)
      return [{ severity: "error", where, message: `${unreadable}; everything that it could be about is denied.` }];
    if (SHIPPED_NAME.test(id)) return [{ severity: "warning", where, message: "this is the name of a shipped rule." }];
    return twice
      ? [{ severity: "warning", where, message: "two rules have this id; their limits are counted as one." }]
      : [];
  });
};
