/**
 * What all rules together say about a call. The most restrictive wins: deny, then require_approval, then allow; all limits
 * apply and all demands add up, so the order of the rules means nothing and one more rule never opens anything that another
 * closes. What no rule allows is denied.
 */
import { addDemands } from "../../kernel/add-demands.ts";
import type { Rooted } from "../../kernel/argument-test.ts";
import type { ApprovalDemand } from "../../kernel/capability.ts";
import type { Rule, RuledCall, RuleLimit } from "./rule.ts";

export interface RuleDecision {
  /** The rule that forbids it; null with `allowed` false: none allows it. */
  readonly denied: Rule | null;
  readonly allowed: boolean;
  /** Of the rule that decided. */
  readonly rule: string;
  readonly demand: ApprovalDemand | null;
  readonly limits: readonly RuleLimit[];
}

const NO_LIMITS: readonly RuleLimit[] = Object.freeze([]);
export const NO_RULE = "default:deny";

/** `rules`: those that fit the tool. */
export const evaluateRules = (rules: readonly Rule[], call: RuledCall, where: Rooted | null): RuleDecision => {
  let denied: Rule | null = null;
  let allowedBy: Rule | null = null;
  let demand: ApprovalDemand | null = null;
  let limits: RuleLimit[] | null = null;
  for (const rule of rules) {
    if (rule.holds !== null && !rule.holds(call, where)) continue;
    if (rule.effect === "deny") denied ??= rule;
    else if (rule.effect === "require_approval") demand = addDemands(demand, rule.demand);
    else if (rule.effect === "allow" && (allowedBy === null || allowedBy.source === "shipped")) allowedBy = rule;
    if (rule.limit !== null) (limits ??= []).push(rule.limit);
  }
  return {
    denied,
    allowed: allowedBy !== null,
    rule: denied?.id ?? (allowedBy === null ? NO_RULE : (demand?.rule ?? allowedBy.id)),
    demand,
    limits: limits ?? NO_LIMITS,
  };
};
