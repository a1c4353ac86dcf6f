/**
 * `policy.host`, in the form that CHP gives a policy: allow list, block list, highest risk, block patterns, and the first of
 * these that matches decides. A pattern that cannot be read matches every call that it could be about.
 */
import type { ApprovalDemand } from "../../kernel/capability.ts";
import { RISK_TIERS, type RiskTier } from "../../kernel/risk-tier.ts";
import { DEFAULT_TTL_S } from "../../kernel/add-demands.ts";
import { ARGS_NOT_KEPT } from "../../kernel/args-not-kept.ts";
import { linearPattern } from "../../kernel/argument-test.ts";
import { jcs } from "../../kernel/jcs.ts";
import { compileGlobs, type MatchText } from "./compile-globs.ts";

export const DECISIONS = [
  "allow",
  "deny",
  "requires_approval",
  "requires_escalation",
  "requires_more_evidence",
  "sandbox_only",
] as const;

export type Decision = (typeof DECISIONS)[number];

export interface WrittenHostPolicy {
  readonly version?: string | undefined;
  readonly allowed_capability_ids?: readonly string[] | undefined;
  readonly block_capability_ids?: readonly string[] | undefined;
  readonly max_risk_tier?: RiskTier | undefined;
  readonly block_patterns?: readonly WrittenPattern[] | undefined;
}

interface WrittenPattern {
  readonly capability_id: string;
  readonly field: string;
  readonly pattern: string;
  readonly decision?: string | undefined;
  readonly reason?: string | undefined;
}

export interface HostDecision {
  readonly decision: Decision;
  /** What decided: `allowed_capability_ids`, `block_capability_ids`, `block_patterns[2]`. */
  readonly rule: string;
  readonly reason: string;
  readonly demand: ApprovalDemand | null;
}

export interface HostPolicy {
  readonly maxRisk: RiskTier | null;
  readonly faults: readonly string[];
  /** Lists first; null: they have nothing against it. The highest risk stands between this and `judgePatterns`. */
  judgeLists(ids: readonly string[]): HostDecision | null;
  judgePatterns(ids: readonly string[], args: Readonly<Record<string, unknown>>): HostDecision | null;
}

interface Pattern {
  readonly rule: string;
  readonly isFor: MatchText;
  readonly field: string;
  readonly matches: ((text: string) => boolean) | null;
  readonly decision: Decision;
  readonly reason: string;
}

const textOf = (args: Readonly<Record<string, unknown>>, field: string): string => {
  if (field === "*") return jcs(args);
  const value = Object.hasOwn(args, field) ? args[field] : "";
  return typeof value === "string" ? value : jcs(value);
};

const readPattern = (written: WrittenPattern, index: number): Pattern => {
  const known = DECISIONS.find((decision) => decision === (written.decision ?? "deny"));
  const matches = typeof written.pattern === "string" ? linearPattern(written.pattern) : null;
  const readable = known !== undefined && matches !== null;
  return {
    rule: `block_patterns[${index}]`,
    isFor: compileGlobs([written.capability_id]),
    field: written.field,
    matches,
    decision: readable ? known : "deny",
    reason: readable
      ? (written.reason ?? "The arguments match a pattern that the host blocks.")
      : "This pattern cannot be read.",
  };
};

const decided = (rule: string, reason: string): HostDecision => ({ decision: "deny", rule, reason, demand: null });

const demandOf = (rule: string): ApprovalDemand => ({
  rule,
  approvers: null,
  count: 1,
  fourEyes: false,
  ttlS: DEFAULT_TTL_S,
});

export const compileHostPolicy = (written: WrittenHostPolicy): HostPolicy => {
  const { allowed_capability_ids: allow, block_capability_ids: block, max_risk_tier: maxRisk } = written;
  const isAllowed = allow === undefined ? null : compileGlobs(allow);
  const isBlocked = compileGlobs(block ?? []);
  const patterns = (written.block_patterns ?? []).map(readPattern);
  const unknownRisk = maxRisk !== undefined && !RISK_TIERS.includes(maxRisk);
  return {
    maxRisk: unknownRisk ? "low" : (maxRisk ?? null),
    faults: patterns
      .filter(({ matches }) => matches === null)
      .map(({ rule }) => `${rule}.pattern is no regular expression`),
    judgeLists(ids) {
      if (isAllowed !== null && !ids.some(isAllowed))
        return decided("allowed_capability_ids", "It is not in the host's allow list.");
      return ids.some(isBlocked) ? decided("block_capability_ids", "It is in the host's block list.") : null;
    },
    judgePatterns(ids, args) {
      for (const { rule, isFor, field, matches, decision, reason } of patterns) {
        const isOther = matches !== null && (args === ARGS_NOT_KEPT || !matches(textOf(args, field)));
        if (isOther || !ids.some(isFor)) continue;
        return { decision, rule, reason, demand: decision === "requires_approval" ? demandOf(rule) : null };
      }
      return null;
    },
  };
};
