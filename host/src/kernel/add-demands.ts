/** Several demands for an approval of one call as one: every list of approvers must hold the decider, the strictest counts. */
import type { ApprovalDemand } from "./capability.ts";

export const DEFAULT_TTL_S = 3_600;

export const addDemands = (a: ApprovalDemand | null, b: ApprovalDemand | null): ApprovalDemand | null => {
  if (a === null || b === null) return a ?? b;
  return {
    rule: ruleOf(a, b),
    approvers:
      a.approvers === null ? b.approvers : b.approvers === null ? a.approvers : [...a.approvers, ...b.approvers],
    count: Math.max(a.count, b.count),
    fourEyes: a.fourEyes || b.fourEyes,
    ttlS: Math.min(a.ttlS, b.ttlS),
  };
};

const isShipped = ({ rule }: ApprovalDemand): boolean => rule.startsWith("shipped:");

/** Whoever meets `a` meets `b` too. */
const isStricter = (a: ApprovalDemand, b: ApprovalDemand): boolean =>
  (b.approvers ?? []).every((list) => a.approvers?.includes(list)) &&
  a.count >= b.count &&
  (a.fourEyes || !b.fourEyes) &&
  a.ttlS <= b.ttlS;

/** A rule that adds nothing is not named; of two that ask for the same, the one that somebody wrote. */
const ruleOf = (a: ApprovalDemand, b: ApprovalDemand): string => {
  const [overB, overA] = [isStricter(a, b), isStricter(b, a)];
  if (overB && (!overA || isShipped(b))) return a.rule;
  if (overA && (!overB || isShipped(a))) return b.rule;
  return a.rule.split("+").includes(b.rule) ? a.rule : `${a.rule}+${b.rule}`;
};
