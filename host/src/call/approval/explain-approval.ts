/** What stage 8 would say to a call, with nothing asked, written or used. */
import type { ExplainedCheck } from "../../kernel/explanation.ts";
import { pendingRefusal } from "./approval-refusals.ts";
import type { Asked, Judgement } from "./judge-call.ts";
import { describeDeciders } from "./who-decides.ts";

export interface ExplainedApproval {
  readonly check: ExplainedCheck;
  /** Null: no approval is demanded. */
  readonly digest: string | null;
  readonly verdict: "run" | "wait" | "refuse";
}

type Verdict = Pick<ExplainedCheck, "status" | "why"> & {
  readonly next?: string;
  readonly verdict: ExplainedApproval["verdict"];
};

const verdictOf = ({ required }: Asked, judgement: Judgement): Verdict => {
  switch (judgement.kind) {
    case "use":
      return { status: "pass", why: `granted: ${judgement.record.id}`, verdict: "run" };
    case "standing":
      return { status: "pass", why: `standing approval ${judgement.entry.standing.id}`, verdict: "run" };
    case "grant":
      return required.count === 1
        ? { status: "pass", why: "the grant that comes with the call approves it", verdict: "run" }
        : {
            status: "fail",
            why: "the grant counts, and others are needed",
            next: `${describeDeciders(required)} decide`,
            verdict: "wait",
          };
    case "wait": {
      const { message, next } = pendingRefusal(judgement.record);
      return { status: "fail", why: message, next, verdict: "wait" };
    }
    case "refuse":
      return { status: "fail", why: judgement.refusal.message, next: judgement.refusal.next, verdict: "refuse" };
    default:
      return {
        status: "fail",
        why: "no approval for this digest",
        next: `Call it; ${describeDeciders(required)} decides`,
        verdict: "wait",
      };
  }
};

export const NOTHING_DEMANDED: ExplainedApproval = {
  check: { stage: 8, name: "approval", check: "approval", status: "pass", why: "none is demanded" },
  digest: null,
  verdict: "run",
};

export const explainApproval = (asked: Asked, judgement: Judgement): ExplainedApproval => {
  const { verdict, ...said } = verdictOf(asked, judgement);
  return { check: { stage: 8, name: "approval", check: asked.demand.rule, ...said }, digest: asked.digest, verdict };
};
