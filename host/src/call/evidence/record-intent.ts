/** Makes the intent of a call durable before anything is sent. */
import type { Capability } from "../../kernel/capability.ts";
import type { Beside, StateWrite } from "../../kernel/evidence.ts";
import type { Approved, Invocation } from "../../kernel/stages.ts";
import { draftOf } from "./draft-of.ts";
import { startedPayload } from "./event-payloads.ts";
import type { RefusalLog } from "./record-refusal.ts";
import { takeAdmissions } from "./take-admissions.ts";

export interface IntentLog extends RefusalLog {
  readonly isConfidential: (capability: Capability) => boolean;
}

/** With what the call uses up, in one commit; on failure it is as if none of it had been used. */
export const recordIntent = async (
  { log, replies, isConfidential }: IntentLog,
  call: Approved,
  invocation: Invocation,
): Promise<void> => {
  const common = draftOf(call, "execution_started", invocation);
  const none = { outcome: null, error: "null", denial: "null" } as const;
  // An unsalted digest of a confidential call would tell those who guess at it.
  const digest =
    call.approval === null || isConfidential(call.target.capability) ? {} : { actionDigest: call.approval.digest };
  const payload = startedPayload(call, invocation);
  const started = { ...common, ...none, payload, own: isOwn(call), ...digest };
  const reply = replies.keepIntent(call, invocation);
  const taken = takeAdmissions(call, invocation);
  try {
    const beside = besideOf(taken.writes, reply);
    if (taken.events.length === 0) {
      invocation.evidenceIds.push((await log.append(started, beside)).eventId);
      return;
    }
    const before = taken.events.map((event) => ({ ...common, ...none, ...event }));
    for (const { eventId } of await log.appendAll([...before, started], beside)) invocation.evidenceIds.push(eventId);
  } catch (no) {
    taken.release();
    throw no;
  }
};

const besideOf = (state: readonly StateWrite[], reply: Beside["reply"] | null): Beside | undefined => {
  if (reply) return state.length === 0 ? { reply } : { state, reply };
  return state.length === 0 ? undefined : { state };
};

/** The URI of a read and the context of a call are the caller's words. */
const isOwn = ({ target, envelope }: Approved): boolean => target.tool !== null && (envelope?.context ?? null) === null;
