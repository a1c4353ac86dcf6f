/** The arguments of a call as its task keeps them, for the gates; long ones are not kept, and it is known that there were some. */
import { ARGS_NOT_KEPT } from "../../kernel/args-not-kept.ts";
import type { RawCall } from "../../kernel/call.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { TaskRecord } from "../../kernel/tasks.ts";

const MAX_CHARS = 4_096;

export const keptArgs = (argsJson: RawJson | null): Pick<TaskRecord, "args" | "argsLost"> =>
  argsJson !== null && argsJson.length > MAX_CHARS ? { args: null, argsLost: true } : { args: argsJson };

/** One that waits to run still has all that it is to say. */
export const argsOf = (record: TaskRecord | null): Pick<RawCall, "args" | "argsJson"> => {
  const text = record?.args ?? record?.waits?.said?.argsJson ?? null;
  if (text !== null) return { args: JSON.parse(text) as RawCall["args"], argsJson: rawJson(text) };
  return { args: record?.argsLost ? ARGS_NOT_KEPT : {}, argsJson: null };
};
