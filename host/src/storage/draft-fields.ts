/**
 * How drafts travel to the evidence worker: one text, a line a field, `STRIDE` lines a draft, an empty line for null, then
 * as many lines as its last field says for what becomes durable with it. Handing over one string costs a fraction of
 * cloning as many small ones or objects. The texts of large replies and of retained payloads travel beside it.
 */
import type { Beside, EvidenceDraft, Reply } from "../kernel/evidence.ts";

export type DraftFields = (string | null)[];

/** A reply of more characters is a large one. */
const LARGE_CHARS = 1 << 16;
export const STRIDE = 16;
export const FIELD = {
  type: 0,
  invocationId: 1,
  capabilityId: 2,
  capabilityVersion: 3,
  correlationId: 4,
  causationId: 5,
  parentId: 6,
  traceId: 7,
  /** One of `MARKS`, or null for none. */
  marks: 8,
  outcome: 9,
  payload: 10,
  subject: 11,
  error: 12,
  denial: 13,
  actionDigest: 14,
  /** How many lines stand after the draft. */
  beside: 15,
} as const;

/** That the correlation is fresh, that the payload is the host's own, or both. */
export const MARKS = { fresh: "f", own: "o", both: "b" } as const;

/** Arguments and result of the call, one line of text, to be kept encrypted. */
export interface BesideDraft extends Beside {
  readonly payload?: string;
  /** How many drafts, with its own, are written together as one; absent: it alone. */
  readonly together?: number;
}

/**
 * Lines of a state write: `+` and its space, key, value, the correlation it goes with or nothing; or `-` and its space, key.
 * Of a reply: `=` and its key; the number of drafts that are one with its own, or nothing for it alone; where its call began
 * and how many events that is, or nothing for both; its text. Of a large one: the same with `%` and without its text. Of a
 * retained payload: `*`. The text of each of the last two is the next of those that travel beside.
 */
export const BESIDE = { put: "+", remove: "-", reply: "=", largeReply: "%", payload: "*" } as const;
/** Without its text. */
export const REPLY_LINES = 4;

/** Whether its text travels beside, and has a row of its own. */
export const isLargeReply = ({ text }: Reply): boolean => text.length > LARGE_CHARS;

/** Ends with a line end, so that texts can be joined. No field may hold one; `openEvidenceLog` sees to that. */
export const packDraft = (draft: EvidenceDraft, beside?: BesideDraft): string => {
  const { id, causationId, parentId, traceId, fresh } = draft.correlation;
  const text =
    `${draft.type}\n${draft.invocationId}\n${draft.capabilityId}\n${draft.capabilityVersion ?? ""}\n${id}\n` +
    `${causationId ?? ""}\n${parentId ?? ""}\n${traceId ?? ""}\n${fresh ? (draft.own ? MARKS.both : MARKS.fresh) : draft.own ? MARKS.own : ""}\n${draft.outcome ?? ""}\n` +
    `${draft.payload}\n${draft.subject}\n${draft.error}\n${draft.denial}\n${draft.actionDigest ?? ""}\n`;
  return beside === undefined ? `${text}\n` : `${text}${packBeside(beside)}`;
};

const packBeside = ({ state, reply, payload, together = 1 }: BesideDraft): string => {
  let lines = "";
  let count = 0;
  for (const { space, key, value, goesWith = "" } of state ?? []) {
    if (value === null) lines += `${BESIDE.remove}${space}\n${key}\n`;
    else lines += `${BESIDE.put}${space}\n${key}\n${value}\n${goesWith}\n`;
    count += value === null ? 2 : 4;
  }
  if (reply !== undefined) {
    const { key, text, begun } = reply;
    const since = begun === undefined ? "\n\n" : `${begun.sequence}\n${begun.count}\n`;
    const head = `${key}\n${together === 1 ? "" : together}\n${since}`;
    const isLarge = isLargeReply(reply);
    lines += isLarge ? `${BESIDE.largeReply}${head}` : `${BESIDE.reply}${head}${text}\n`;
    count += isLarge ? REPLY_LINES : REPLY_LINES + 1;
  }
  if (payload !== undefined) {
    lines += `${BESIDE.payload}\n`;
    count++;
  }
  return count === 0 ? "\n" : `${count}\n${lines}`;
};

/** How many lines a packed draft with this beside has. */
export const linesOf = (beside: BesideDraft | undefined): number => {
  if (beside === undefined) return STRIDE;
  const { reply, payload } = beside;
  let count = STRIDE + (payload === undefined ? 0 : 1);
  if (reply !== undefined) count += isLargeReply(reply) ? REPLY_LINES : REPLY_LINES + 1;
  for (const { value } of beside.state ?? []) count += value === null ? 2 : 4;
  return count;
};

export const unpackDrafts = (text: string): DraftFields => {
  const fields: DraftFields = text.split("\n");
  fields.pop();
  for (let i = 0; i < fields.length; i++) if (fields[i] === "") fields[i] = null;
  return fields;
};
