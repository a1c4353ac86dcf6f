/** What would spoil the log for everybody: a line end in a field, a batch no string can hold, a key that is none. */
import { isLargeReply, linesOf, type BesideDraft } from "./draft-fields.ts";
import { isKey } from "./key-words.ts";

const MAX_DRAFT_CHARS = 1 << 20;
/** More when there are records beside it. */
const MAX_STATE_CHARS = 16 << 20;
const MAX_TEXT_CHARS = 32 << 20;

const lineEndsOf = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
};

/** Null when there is nothing wrong with a packed draft and what stands beside it. */
export const defectOf = (packed: string, beside: BesideDraft | undefined): string | null => {
  const most = MAX_DRAFT_CHARS + (beside?.state === undefined ? 0 : MAX_STATE_CHARS);
  if (packed.length > most) return `has ${packed.length} characters, more than ${most}`;
  if (lineEndsOf(packed) !== linesOf(beside)) return "holds text that is not canonical";
  if (beside === undefined) return null;
  const { reply, payload } = beside;
  if (reply !== undefined && !isKey(reply.key)) return "has a reply whose key is not 128 bits in hex";
  // That of a small one is part of what is packed.
  return (reply !== undefined && isLargeReply(reply) ? textDefect(reply.text) : null) ?? textDefect(payload);
};

const textDefect = (text = ""): string | null => {
  if (text.length > MAX_TEXT_CHARS) return `has a text of ${text.length} characters beside it`;
  return text.includes("\n") ? "has a text of more than one line beside it" : null;
};
