/** A call as the model wrote it, made fit for all that is done with it. */
import { makeId } from "../../kernel/make-id.ts";
import type { ModelToolCall } from "../../kernel/model.ts";

/** Deeper than any tool takes; some thousands of levels fill the stack of whoever writes them down. */
export const MOST_LEVELS = 200;

/** Some providers number the calls of each answer anew; `taken` are the ids of the run so far. */
export const admitCall = (call: ModelToolCall, taken: Set<string>): ModelToolCall => {
  const id = taken.has(call.id) ? makeId("call_") : call.id;
  taken.add(id);
  return { ...call, id, input: isDeeper(call.input, MOST_LEVELS) ? null : call.input };
};

const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(value)) if (isDeeper(member, levels - 1)) return true;
  return false;
};
