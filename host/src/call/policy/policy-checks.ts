/** The questions of stage 6, in their order. The stage and `explain` ask the same ones. */
import { RISK_TIERS } from "../../kernel/risk-tier.ts";
import type { Check } from "../../kernel/check.ts";
import { covers } from "../../kernel/covers.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { lowestRisk } from "./compile-policy.ts";
import { judgeInvariants } from "./invariants.ts";
import { judgeBudgets, judgeRate } from "./limits.ts";
import { denyByField, denyByHost, denyByRisk, denyByRule } from "./policy-refusals.ts";
import type { PolicyView } from "./policy-view.ts";

export interface PolicyCheck extends Check<PolicyView> {
  /** Suspended by `policy.mode: "audit"`: the rules an operator writes are, what a capability or a budget says is not. */
  readonly audited: boolean;
}

const DEFAULT_CLEARANCE = "internal";

const aboutOf = ({ call, policy }: PolicyView) => ({ tool: call.target.flatName, version: policy.version });

const judgeAuth = (view: PolicyView): Refusal | null => {
  const { target, principal } = view.call;
  if (!target.capability.authRequired || principal.assurance === "credential") return null;
  return denyByField(aboutOf(view), {
    rule: "auth_required",
    reason: "it needs a caller with a credential, and this one has none.",
    next: "Call it with a key: bailiwick key create --name <name>",
  });
};

const missingPermissions = ({ call, parts }: PolicyView): string[] => {
  const { requiredPermissions } = call.target.capability;
  if (requiredPermissions.length === 0) return [];
  const { permissions, onBehalfOf } = call.principal;
  const behind = onBehalfOf === null ? null : parts.permissionsBehind(call);
  return requiredPermissions.filter(
    (needed) => !covers(permissions, needed) || (behind !== null && !covers(behind, needed)),
  );
};

const judgePermissions = (view: PolicyView): Refusal | null => {
  const missing = missingPermissions(view);
  const [first] = missing;
  if (first === undefined) return null;
  const { principal, target } = view.call;
  const both = principal.onBehalfOf === null ? principal.id : `both ${principal.id} and ${principal.onBehalfOf}`;
  return new Refusal("permission_missing", {
    message: `${target.flatName} needs the permission ${missing.join(", ")}.`,
    next: `Ask the operator to grant it to ${both}, in auth.principals or with the key.`,
    details: { required_permission: first, missing, policy_version: view.policy.version },
  });
};

const judgeClassification = (view: PolicyView): Refusal | null => {
  const { classification } = view.call.target.capability;
  if (classification === null) return null;
  const { classifications } = view.policy;
  const needed = classifications.indexOf(classification);
  const { clearance: own = DEFAULT_CLEARANCE, clearances = [] } = view.call.principal;
  const rank = (label: string): number => classifications.indexOf(label);
  const clearance = clearances
    .map((each) => each ?? DEFAULT_CLEARANCE)
    .reduce((lowest, each) => (rank(each) < rank(lowest) ? each : lowest), own);
  const held = rank(clearance);
  if (needed >= 0 && held >= needed) return null;
  const known = needed >= 0;
  return denyByField(aboutOf(view), {
    rule: "data_classification",
    reason: known
      ? `its data is ${classification}, and the caller's clearance ends at ${clearance}.`
      : `its class ${JSON.stringify(classification)} is not one of ${classifications.join(", ")}.`,
    next: known
      ? `Ask the operator to give ${view.call.principal.id} the clearance ${classification}, in auth.principals.`
      : "Ask the operator to correct data_classification of the tool, or policy.classifications.",
  });
};

const judgeLists = (view: PolicyView): Refusal | null => {
  for (const host of view.policy.hosts) {
    const found = host.judgeLists(view.prepared.ids);
    if (found !== null) return denyByHost(aboutOf(view), found);
  }
  return null;
};

const mostRisk = ({ policy, call }: PolicyView) => lowestRisk([policy.maxRisk, call.principal.maxRiskTier]);

const judgeRisk = (view: PolicyView): Refusal | null => {
  const most = mostRisk(view);
  const { risk } = view.call.target.capability;
  if (most === null || RISK_TIERS.indexOf(risk) <= RISK_TIERS.indexOf(most)) return null;
  return denyByRisk(aboutOf(view), risk, most);
};

const judgePatterns = (view: PolicyView): Refusal | null =>
  view.patterns === null ? null : denyByHost(aboutOf(view), view.patterns);

const judgeRules = (view: PolicyView): Refusal | null => {
  const { denied, allowed } = view.decision;
  return denied === null && allowed ? null : denyByRule(aboutOf(view), denied);
};

const judgeRates = (view: PolicyView): Refusal | null => {
  if (view.counted) return null;
  for (const limit of view.decision.limits) {
    const no = judgeRate(view.parts.counts, limit, view.call);
    if (no) return no;
  }
  return null;
};

const always = (why: string) => () => why;

export const POLICY_CHECKS: readonly PolicyCheck[] = [
  {
    name: "mandate",
    audited: false,
    judge: (view) => (view.mandated instanceof Refusal ? view.mandated : null),
    why: ({ mandated }) => (mandated === null ? "no mandate came with it" : "the mandate holds"),
  },
  {
    name: "auth_required",
    audited: false,
    judge: judgeAuth,
    why: ({ call }) => (call.target.capability.authRequired ? "the caller has a credential" : "not required"),
  },
  {
    name: "required_permissions",
    audited: false,
    judge: judgePermissions,
    why: ({ call }) => (call.target.capability.requiredPermissions.length === 0 ? "none required" : "all granted"),
  },
  {
    name: "data_classification",
    audited: false,
    judge: judgeClassification,
    why: ({ call }) => (call.target.capability.classification === null ? "not classified" : "the clearance reaches it"),
  },
  { name: "capability_lists", audited: true, judge: judgeLists, why: always("not excluded by policy.host") },
  {
    name: "max_risk_tier",
    audited: false,
    judge: judgeRisk,
    why: (view) => `${view.call.target.capability.risk}, at most ${mostRisk(view) ?? "any"} allowed`,
  },
  { name: "block_patterns", audited: true, judge: judgePatterns, why: always("no pattern blocks it") },
  { name: "rules", audited: true, judge: judgeRules, why: ({ decision }) => `decided by ${decision.rule}` },
  { name: "invariants", audited: false, judge: ({ call }) => judgeInvariants(call), why: always("all hold") },
  { name: "rate", audited: false, judge: judgeRates, why: always("within all limits") },
  {
    name: "budget",
    audited: false,
    judge: (view) => (view.counted ? null : judgeBudgets(view.parts.counts, view.call)),
    why: always("within action_limit and spend_limit"),
  },
];
