/** Reads a log whole and leaves it so that the next line is one of its own: half a line at its end is cut off. */
import type { FileHandle } from "node:fs/promises";
import type { StoredMessage } from "../../kernel/conversation.ts";
import { tooLarge } from "./conversation-refusals.ts";
import { withLog } from "./log-file.ts";
import { readLog, type LogContents } from "./read-log.ts";

/** It is held in memory. */
export const MAX_LOG_BYTES = 256 << 20;

export interface LoadedLog extends LogContents {
  readonly messages: StoredMessage[];
  readonly logBytes: number;
}

/** Null when there is no such log. */
export const loadLog = (path: string, id: string): Promise<LoadedLog | null> =>
  withLog(path, "mend", async (file, size) => {
    if (size > MAX_LOG_BYTES) throw tooLarge(id, "The log");
    const messages: StoredMessage[] = [];
    const contents = await readLog(file, id, ({ message }) => messages.push(message));
    return contents && { ...contents, messages, logBytes: await mendEnd(file, contents, size) };
  });

const mendEnd = async (file: FileHandle, { end, isOpenEnded }: LogContents, size: number): Promise<number> => {
  if (end < size) await file.truncate(end);
  if (isOpenEnded) await file.write("\n", end);
  if (end < size || isOpenEnded) await file.datasync();
  return isOpenEnded ? end + 1 : end;
};
