/**
 * Stage 6. Asks the checks in their order; the first "no" ends it. A tool that nothing is said about costs one look-up.
 * What a call would be denied for in audit mode is recorded when it begins.
 */
import { addDemands } from "../../kernel/add-demands.ts";
import type { Admission } from "../../kernel/admission.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { stable } from "../../kernel/stable.ts";
import { advance, type Equipped, type Permitted, type Verdict } from "../../kernel/stages.ts";
import { admitByBudget, admitByRate } from "./limits.ts";
import type { PolicyBook } from "./policy-book.ts";
import { POLICY_CHECKS } from "./policy-checks.ts";
import { PolicyView, type PolicyParts } from "./policy-view.ts";

export interface PolicyOptions extends PolicyParts {
  readonly book: Pick<PolicyBook, "of">;
}

export const createPolicy = ({ book, ...parts }: PolicyOptions): ((call: Equipped) => Permitted) => {
  return (call) => {
    const policy = book.of(call.principal.workspace);
    const { plain } = policy.prepare(call.target);
    const bare = (call.envelope === null || call.envelope.mandate === null) && call.principal.maxRiskTier === undefined;
    if (plain !== null && bare) return advance(call, { verdict: plain });
    return advance(call, { verdict: judge(new PolicyView(call, policy, parts)) });
  };
};

const judge = (view: PolicyView): Verdict => {
  const suspended: Refusal[] = [];
  for (const check of POLICY_CHECKS) {
    const no = check.judge(view);
    if (no === null) continue;
    if (!check.audited || view.policy.mode !== "audit") throw no;
    suspended.push(no);
  }
  return verdictOf(view, suspended);
};

export const verdictOf = (view: PolicyView, suspended: readonly Refusal[]): Verdict => {
  const { policy, decision, mandated, patterns, call, parts } = view;
  const mandate = mandated instanceof Refusal ? null : mandated;
  const budget = admitByBudget(parts.counts, call);
  return {
    rule: patterns?.demand && decision.demand === null ? patterns.rule : decision.rule,
    policyVersion: policy.version,
    demand: addDemands(patterns?.demand ?? null, decision.demand),
    admissions: [
      ...decision.limits.map((limit) => admitByRate(parts.counts, limit, call)),
      ...(budget === null ? [] : [budget]),
      ...(mandate?.admissions ?? []),
      ...suspended.map(recordOf),
    ],
    mandate: mandate?.facts ?? null,
  };
};

const NOTHING = Object.freeze([]);

const recordOf = ({ kind, message, details }: Refusal): Admission => {
  const payload = stable({
    kind,
    message,
    matched_rule: details["matched_rule"],
    policy_version: details["policy_version"],
  });
  const events = [{ type: "dev.bailiwick.policy_would_deny", payload }];
  return { take: () => ({ writes: NOTHING, events, release: () => {} }) };
};
