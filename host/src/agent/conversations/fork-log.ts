/** Copies the beginning of a log, byte by byte, behind a head of its own. */
import type { FileHandle } from "node:fs/promises";
import type { ConversationHead } from "../../kernel/conversation.ts";
import { encodeHead } from "./head-line.ts";
import { copyBytes, withLog } from "./log-file.ts";
import type { Meta } from "./meta-line.ts";
import { readLog } from "./read-log.ts";
import { addToSummary, beginSummary } from "./summarise.ts";

export interface ForkOptions {
  readonly id: string;
  readonly path: string;
  /** Messages at most. */
  readonly most: number;
  readonly fork: Pick<ConversationHead, "id" | "createdAt" | "by">;
  /** Makes the file of the fork and lets it be filled. */
  readonly make: (fill: (file: FileHandle) => Promise<Meta>) => Promise<Meta>;
}

/** Null when there is no such log. */
export const forkLog = ({ id, path, most, fork, make }: ForkOptions): Promise<Meta | null> =>
  withLog(path, "read", async (source) => {
    // All that is copied is from before it.
    const head = { ...fork, forkedFrom: { id, atMessage: most } };
    let summary = beginSummary(fork, null);
    let end = 0;
    const log = await readLog(source, id, (entry, entryEnd) => {
      if (summary.messageCount >= most) return;
      summary = addToSummary(summary, entry, head);
      end = entryEnd;
    });
    if (log === null) return null;
    return make(async (file) => {
      await file.writeFile(encodeHead({ ...fork, forkedFrom: { id, atMessage: summary.messageCount } }));
      await copyBytes(source, file, [log.headEnd, end]);
      if (log.isOpenEnded && end === log.end) await file.writeFile("\n");
      const { size } = await file.stat();
      return { summary, logBytes: size, isNamed: false };
    });
  });
