/** Makes the intent of a call durable before anything is sent. */
import type { Capability } from "../../kernel/capability.ts";
import type { EvidenceReceipt } from "../../kernel/evidence.ts";
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
  const payload = startedPayload(call, invocation, replies.binding(call));
  const started = { ...common, ...none, payload, own: isOwn(call), ...digest };
  const taken = takeAdmissions(call, invocation);
  try {
    const beside = taken.writes.length === 0 ? undefined : { state: taken.writes };
    if (taken.events.length === 0) {
      noteEvents(invocation, [await log.append(started, beside)]);
      return;
    }
    const before = taken.events.map((event) => ({ ...common, ...none, ...event }));
    noteEvents(invocation, await log.appendAll([...before, started], beside));
  } catch (no) {
    taken.release();
    throw no;
  }
};

const noteEvents = (invocation: Invocation, receipts: readonly EvidenceReceipt[]): void => {
  const eventIds = receipts.map(({ eventId }) => eventId);
  invocation.evidenceIds.push(...eventIds);
  invocation.begun = { sequence: receipts.at(-1)?.sequence ?? 0, count: receipts.length, eventIds };
};

/** The URI of a read and the context of a call are the caller's words. */
const isOwn = ({ target, envelope }: Approved): boolean => target.tool !== null && (envelope?.context ?? null) === null;
