/**
 * What is kept of the answer to a call that is made once. It is written in the same commit as the event that ends the call;
 * the log seals it, because it holds whatever the tool said. With the intent goes one that says "nobody knows": it is what a
 * repeat hears if the host dies in between.
 */
import type { Answer, CallRecord, Ending } from "../../kernel/call.ts";
import { idsOf } from "../../kernel/call-ids.ts";
import { capabilityId } from "../../kernel/capability-id.ts";
import type { KeptReply, Reply } from "../../kernel/evidence.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Seals } from "../../kernel/seal.ts";
import type { Approved, Invocation, Stopped } from "../../kernel/stages.ts";
import { isFinal } from "./is-final.ts";
import { bindingOf } from "./once-binding.ts";
import { decodeReply, encodeReply, encodeUnknown, type KeptAnswer } from "./reply-text.ts";

export interface Replies {
  /** Null: nothing of this call is kept. */
  keep(call: Stopped, answer: Omit<Answer, "principal">): Reply | null;
  /** To be written with the intent, and replaced with the outcome. */
  keepIntent(call: Approved, invocation: Omit<Invocation, "salt">): Reply | null;
  /** With the events that it was written together with. Null: it cannot be read. */
  read(reply: KeptReply): KeptAnswer | null;
}

/** An earlier version sealed each answer before it gave it to the log. */
const PURPOSE = "replies";
const SEALED = "bw1.";
/** Of the text. */
const MAX_BYTES = 22 << 20;

export const createReplies = (seals: Pick<Seals, "unseal">): Replies => ({
  keep(call, answer) {
    const binding = bindingOf(call);
    if (binding === null || !isFinal(answer, call.invocation !== undefined)) return null;
    const { outcome, tool } = answer;
    const kept = { call: binding.call, outcome, tool, record: answer.record ?? recordOf(call) };
    const text = encodeReply({ ...kept, ending: answer.ending });
    if (text === null) return null;
    const isLarge = text.length > MAX_BYTES / 3 && Buffer.byteLength(text) > MAX_BYTES;
    const short = isLarge ? encodeReply({ ...kept, ending: tooLarge(tool) }) : text;
    return { key: binding.key, text: short ?? text };
  },
  keepIntent(call, { id, correlation, evidenceIds, startedAt }) {
    const binding = bindingOf(call);
    if (binding === null) return null;
    const { capability, flatName } = call.target;
    const record = {
      invocationId: id,
      correlation,
      capabilityId: capability.id,
      capabilityVersion: capability.version,
      evidenceIds,
      startedAt,
      completedAt: startedAt,
    };
    return { key: binding.key, text: encodeUnknown({ call: binding.call, tool: flatName, record }) };
  },
  read: ({ text, eventIds }) => {
    const plain = text.startsWith(SEALED) ? seals.unseal(PURPOSE, text) : text;
    const kept = plain === null ? null : decodeReply(plain);
    return kept && { ...kept, record: { ...kept.record, evidenceIds: [...kept.record.evidenceIds, ...eventIds] } };
  },
});

const recordOf = (call: Stopped): CallRecord => {
  const { target, invocation, provider, name } = call;
  const ids = invocation ? { invocationId: invocation.id, correlation: invocation.correlation } : idsOf(call);
  return {
    ...ids,
    capabilityId: target?.capability.id ?? capabilityId(provider === null ? name : `${provider}__${name}`),
    capabilityVersion: target?.capability.version ?? null,
    evidenceIds: invocation?.evidenceIds ?? [],
    startedAt: invocation?.startedAt ?? null,
    completedAt: call.completedAt ?? Date.now(),
  };
};

const tooLarge = (tool: string | null): Ending => ({
  kind: "refusal",
  refusal: new Refusal("too_large", {
    message: `${tool ?? "The tool"} ran, and its answer was given once; it is too large to be kept and given again.`,
    next: "Do not repeat the call for its answer: a call with a new id runs it again.",
  }),
  stage: 11,
});
