/** What stage 6 would say about a call, check by check. */
import type { Refusal } from "../../kernel/refusal.ts";
import type { Equipped, Verdict } from "../../kernel/stages.ts";
import { verdictOf, type PolicyOptions } from "./policy.ts";
import { POLICY_CHECKS } from "./policy-checks.ts";
import { PolicyView } from "./policy-view.ts";

export interface PolicyFinding {
  readonly check: string;
  readonly refusal: Refusal | null;
  readonly why: string;
  /** Audit mode lets it pass. */
  readonly suspended: boolean;
}

export interface PolicyExplanation {
  readonly findings: readonly PolicyFinding[];
  /** What stage 8 is told, whatever else is in the way. */
  readonly verdict: Verdict;
  /** Of the rule that decided, or would. */
  readonly rule: string;
}

export const createExplainPolicy =
  ({ book, ...parts }: PolicyOptions) =>
  (call: Equipped): PolicyExplanation => {
    const view = new PolicyView(call, book.of(call.principal.workspace), parts);
    const findings = POLICY_CHECKS.map((check) => {
      const refusal = check.judge(view);
      const suspended = refusal !== null && check.audited && view.policy.mode === "audit";
      return { check: check.name, refusal, suspended, why: refusal?.message ?? check.why(view) };
    });
    return { findings, verdict: verdictOf(view, []), rule: view.decision.rule };
  };
