/**
 * What is kept of the answer to a call that is made once. It is written in the same commit as the event that ends the call;
 * the log seals it, because it holds whatever the tool said. The event that opens the call only says what binds a repeat to
 * it: if the host dies in between, the log itself makes the answer that nobody knows.
 */
import type { Answer, Ending } from "../../kernel/call.ts";
import { idsOf } from "../../kernel/call-ids.ts";
import { capabilityId } from "../../kernel/capability-id.ts";
import type { KeptReply, Reply } from "../../kernel/evidence.ts";
import { writeOnce } from "../../kernel/once-text.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Seals } from "../../kernel/seal.ts";
import type { Invocation, Stopped } from "../../kernel/stages.ts";
import { isFinal } from "./is-final.ts";
import { callHash, earlierCallHash, ONCE_PURPOSE } from "./once-binding.ts";
import { decodeReply, encodeReply, type KeptAnswer, type KeptRecord } from "./reply-text.ts";

export interface Replies {
  /** Null: nothing of this call is kept. */
  keep(call: Stopped, answer: Omit<Answer, "principal">): Reply | null;
  /** To be written with the intent; null: a repeat is another call. */
  binding(call: Stopped): string | null;
  /** Whether an answer is to this very call. */
  isOf(kept: Pick<KeptAnswer, "call">, call: Stopped): boolean;
  /** With the events that it was written together with. Null: it cannot be read. */
  read(reply: KeptReply): KeptAnswer | null;
}

/** An earlier version sealed each answer before it gave it to the log. */
const PURPOSE = "replies";
const SEALED = "bw1.";
/** Of the text. */
const MAX_BYTES = 22 << 20;

export const createReplies = (seals: Pick<Seals, "unseal" | "secret">): Replies => {
  const secret = seals.secret(ONCE_PURPOSE);
  return {
    keep(call, answer) {
      const key = call.once?.key;
      if (key === undefined || !isFinal(answer, call.invocation !== undefined)) return null;
      const { tool } = answer;
      const kept = { call: callHash(call, secret), tool, record: recordOf(call) };
      const text = encodeReply(kept, answer.ending);
      if (text === null) return null;
      const isLarge = text.length > MAX_BYTES / 3 && Buffer.byteLength(text) > MAX_BYTES;
      return {
        key,
        text: (isLarge ? encodeReply(kept, tooLarge(tool)) : null) ?? text,
        begun: call.invocation?.begun,
      };
    },
    binding(call) {
      const key = call.once?.key;
      return key === undefined ? null : writeOnce({ key, hash: callHash(call, secret) });
    },
    isOf: ({ call: kept }, call) => kept === callHash(call, secret) || kept === earlierCallHash(call),
    read: ({ text, eventIds, call }) => {
      const plain = text.startsWith(SEALED) ? seals.unseal(PURPOSE, text) : text;
      const kept = plain === null || call === null ? null : decodeReply(plain, call);
      return kept && { ...kept, record: { ...kept.record, evidenceIds: [...kept.record.evidenceIds, ...eventIds] } };
    },
  };
};

const recordOf = (call: Stopped): KeptRecord => {
  const { target, invocation, provider, name } = call;
  return {
    capabilityId: target?.capability.id ?? capabilityId(provider === null ? name : `${provider}__${name}`),
    capabilityVersion: target?.capability.version ?? null,
    evidenceIds: earlierIds(invocation ?? idsOf(call)),
    startedAt: invocation?.startedAt ?? null,
    completedAt: call.completedAt ?? Date.now(),
  };
};

/** Without those that the log gives back with the reply. */
const earlierIds = ({ evidenceIds, begun }: Pick<Invocation, "evidenceIds" | "begun">): readonly string[] =>
  begun === undefined ? evidenceIds : evidenceIds.slice(0, -begun.count);

const tooLarge = (tool: string | null): Ending => ({
  kind: "refusal",
  refusal: new Refusal("too_large", {
    message: `${tool ?? "The tool"} ran, and its answer was given once; it is too large to be kept and given again.`,
    next: "Do not repeat the call for its answer: a call with a new id runs it again.",
  }),
  stage: 11,
});
