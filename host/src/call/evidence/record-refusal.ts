/** A "no" is a record too: one event that ends the call, after those that CHP has before it. */
import type { Answer, CallRecord, Ending } from "../../kernel/call.ts";
import { idsOf } from "../../kernel/call-ids.ts";
import type { EvidenceDraft, EvidenceLog, Reply } from "../../kernel/evidence.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { stable } from "../../kernel/stable.ts";
import type { Stopped } from "../../kernel/stages.ts";
import { capabilityOf } from "./describe-call.ts";
import { draftOf } from "./draft-of.ts";
import { ENDING_TYPES } from "./ending-types.ts";

const MAX_DETAILS = 16_384;

/** What is kept of answers, to be given again; null: nothing is. */
export interface KeptReplies {
  keep(call: Stopped, answer: Omit<Answer, "principal">): Reply | null;
  /** What the log needs to tell a repeat that nobody knows the outcome, if the host dies before there is one. */
  binding(call: Stopped): string | null;
}

export interface RefusalLog {
  readonly log: EvidenceLog;
  readonly replies: KeptReplies;
}

type Refused = Omit<Answer, "principal"> & { readonly ending: Extract<Ending, { kind: "refusal" }> };

export const recordRefusal = async (
  { log, replies }: RefusalLog,
  call: Stopped,
  answer: Omit<Answer, "principal">,
): Promise<string | null> => {
  const { refusal, stage } = (answer as Refused).ending;
  const { outcome, chp } = refusal.row;
  const failed = outcome === "failure";
  const details = stable(refusal.details).length > MAX_DETAILS ? { clipped: true } : refusal.details;
  const message = refusal.message.slice(0, MAX_DETAILS);
  const reason = { code: chp, message, details: { ...details, kind: refusal.kind, stage } };
  const common = { ...draftOf(call, ENDING_TYPES[outcome]), outcome: null, error: "null", denial: "null" } as const;
  const payload = stable({ capability_uri: capabilityOf(call).uri, ...tookOf(call) });
  const reply = replies.keep(call, answer);
  try {
    const draftBefore = (type: string): EvidenceDraft => ({
      ...common,
      type,
      payload: stable({ capability_uri: capabilityOf(call).uri, ...refusal.details }),
    });
    const before = eventsBefore(refusal).map(draftBefore);
    const last = {
      ...common,
      outcome,
      payload,
      error: failed ? stable(reason) : "null",
      denial: failed
        ? "null"
        : stable({ ...reason, invariant_id: refusal.details["invariant_id"] ?? null, retryable: refusal.retryable }),
    };
    const beside = reply === null ? undefined : { reply };
    const receipts =
      before.length === 0 ? [await log.append(last, beside)] : await log.appendAll([...before, last], beside);
    const { evidenceIds } = call.invocation ?? idsOf(call);
    for (const { eventId } of receipts) evidenceIds.push(eventId);
    return receipts.at(-1)?.eventId ?? null;
  } catch (no) {
    if (!(no instanceof Refusal)) throw no;
    return null;
  }
};

/** Only what had begun took any time: this is how the log knows that the refusal ends it. */
const tookOf = ({ invocation, completedAt = Date.now() }: Stopped): { readonly duration_ms?: number } =>
  invocation === undefined ? {} : { duration_ms: Math.max(0, completedAt - invocation.startedAt) };

const BLOCKED = [
  "safety_assessment_started",
  "safety_assessment_completed",
  "safety_guardrail_triggered",
  "safety_action_blocked",
];

/** What CHP has in the log before the refusal itself. */
const eventsBefore = ({ kind }: Refusal): readonly string[] => {
  if (kind === "guardrail_blocked") return BLOCKED;
  return kind === "budget_exceeded" || kind === "rate_limited" ? ["budget_exceeded"] : [];
};

/** Of a call that ended in a refusal, whether or not it had begun. */
export const refusalRecord = (call: Stopped): CallRecord => {
  const { invocationId, correlation, evidenceIds } = call.invocation
    ? { ...call.invocation, invocationId: call.invocation.id }
    : idsOf(call);
  return {
    invocationId,
    correlation,
    capabilityId: capabilityOf(call).id,
    capabilityVersion: call.target ? call.target.capability.version : null,
    evidenceIds,
    startedAt: call.invocation?.startedAt ?? null,
    completedAt: call.completedAt ?? Date.now(),
  };
};
