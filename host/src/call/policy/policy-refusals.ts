/** The "no" of policy, in the words and members that every denial has. */
import { Refusal, type RefusalOptions } from "../../kernel/refusal.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";
import type { HostDecision } from "./host-policy.ts";
import type { Rule } from "./rule.ts";
import { NO_RULE } from "./evaluate-rules.ts";

export interface Denial {
  /** The flat name. */
  readonly tool: string;
  readonly version: string;
}

const denial = (kind: RefusalKind, { tool, version }: Denial, said: DenialFacts): Refusal => {
  const options: RefusalOptions = {
    message: `Policy refuses ${tool}: ${said.reason}`,
    next: said.next,
    details: {
      decision: said.decision,
      matched_rule: said.rule,
      policy_version: version,
      explanation: said.reason,
      required_next_action: said.next,
    },
  };
  return new Refusal(kind, options);
};

interface DenialFacts {
  readonly decision: string;
  readonly rule: string;
  readonly reason: string;
  readonly next: string;
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export const denyByRule = (about: Denial, rule: Rule | null): Refusal => {
  if (rule === null)
    return denial("policy_denied", about, {
      decision: "deny",
      rule: NO_RULE,
      reason: "no rule allows it.",
      next: "Ask the operator for a rule in policy.rules with effect allow that covers this call.",
    });
  if (rule.unreadable !== null)
    return denial("policy_denied", about, {
      decision: "deny",
      rule: rule.id,
      reason: `rule ${JSON.stringify(rule.id)} cannot be read (${rule.unreadable}), so it denies all that it could be about.`,
      next: "Ask the operator to correct the rule; bailiwick policy check shows what is wrong with it.",
    });
  return denial("policy_denied", about, {
    decision: "deny",
    rule: rule.id,
    reason: ended(rule.reason ?? `rule ${JSON.stringify(rule.id)} denies it`),
    next: ended(rule.next ?? `Ask the operator about rule ${JSON.stringify(rule.id)} of the policy`),
  });
};

/** What a capability itself says. */
export const denyByField = (about: Denial, said: Omit<DenialFacts, "decision">): Refusal =>
  denial("policy_denied", about, { decision: "deny", ...said });

export const denyByRisk = (about: Denial, risk: string, most: string): Refusal =>
  denial("policy_denied", about, {
    decision: "deny",
    rule: `max_risk_tier:${most}`,
    reason: `its risk is ${risk}, and no more than ${most} is allowed here.`,
    next: `Ask the operator to raise max_risk_tier, or use a tool whose risk is at most ${most}.`,
  });

const KINDS: Readonly<Record<string, RefusalKind>> = {
  requires_escalation: "escalation_required",
  requires_more_evidence: "more_evidence_required",
};

const NEXT: Readonly<Record<string, string>> = {
  requires_escalation: "Ask somebody who may decide more than you to do it, or to change the policy.",
  requires_more_evidence: "Add what the reason asks for to the call and repeat it.",
  sandbox_only: "There is no sandbox that it could run in; ask the operator about this pattern.",
};

/** Null: this decision lets the call go on. */
export const denyByHost = (about: Denial, { decision, rule, reason }: HostDecision): Refusal | null => {
  if (decision === "allow" || decision === "requires_approval") return null;
  const next = NEXT[decision] ?? `Ask the operator about ${rule} of policy.host.`;
  return denial(KINDS[decision] ?? "policy_denied", about, { decision, rule, reason: ended(reason), next });
};
