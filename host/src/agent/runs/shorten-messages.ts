/** Messages that were too long for a model, without the older half of their turns. Pure. */
import type { ModelMessage } from "../../kernel/model.ts";

/** Null: only the last turn is left, which always stays. */
export const shortenMessages = (messages: readonly ModelMessage[]): readonly ModelMessage[] | null => {
  const starts = messages.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const from = starts[Math.floor(starts.length / 2)];
  return starts.length < 2 || from === undefined ? null : messages.slice(from);
};
