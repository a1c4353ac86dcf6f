/**
 * What all rules together say about a call. The most restrictive wins: deny, then require_approval, then allow; all limits
 * apply and all demands add up, so the order of the rules means nothing and one more rule never opens anything that another
 * closes. What no rule allows is denied. Where programs stand between who acts and whom it acts for, a rule about one of them
 * counts, and each of them has to be allowed.
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
const NOBODY_ELSE: readonly RuledCall[] = Object.freeze([]);
export const NO_RULE = "default:deny";

/** `rules`: those that fit the tool. */
export const evaluateRules = (rules: readonly Rule[], call: RuledCall, where: Rooted | null): RuleDecision => {
  const others = call.principal.chain?.map((principal) => ({ ...call, principal })) ?? NOBODY_ELSE;
  const notAllowed = others === NOBODY_ELSE ? null : new Set(others);
  let denied: Rule | null = null;
  let allowedBy: Rule | null = null;
  let demand: ApprovalDemand | null = null;
  let limits: RuleLimit[] | null = null;
  for (const rule of rules) {
    const { holds } = rule;
    const own = holds === null || holds(call, where);
    const among = holds === null || notAllowed === null ? others : others.filter((other) => holds(other, where));
    if (!own && among.length === 0) continue;
    if (rule.effect === "deny") denied ??= rule;
    else if (rule.effect === "require_approval") demand = addDemands(demand, rule.demand);
    else if (rule.effect === "allow") {
      for (const other of among) notAllowed?.delete(other);
      if (own && (allowedBy === null || allowedBy.source === "shipped")) allowedBy = rule;
    }
    if (rule.limit !== null) (limits ??= []).push(rule.limit);
  }
  const allowed = (notAllowed?.size ?? 0) === 0 ? allowedBy : null;
  return {
    denied,
    allowed: allowed !== null,
    rule: denied?.id ?? (allowed === null ? NO_RULE : (demand?.rule ?? allowed.id)),
    demand,
    limits: limits ?? NO_LIMITS,
  };
};
