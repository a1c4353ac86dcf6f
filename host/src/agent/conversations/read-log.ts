/** What a log says: its head, its messages in order, what they add up to, and what of it cannot be read. Changes nothing. */
import type { FileHandle } from "node:fs/promises";
import type { ConversationHead } from "../../kernel/conversation.ts";
import { decodeHead } from "./head-line.ts";
import { eachLine, type Line } from "./log-file.ts";
import { decodeMessage, type Entry } from "./message-line.ts";
import { parseObject } from "./parse-object.ts";
import { addToSummary, beginSummary, type Tally } from "./summarise.ts";

export interface LogContents {
  readonly head: ConversationHead;
  readonly summary: Tally;
  /** Where line 2 begins. */
  readonly headEnd: number;
  /** Everything behind it is half a line that nobody was told of. */
  readonly end: number;
  /** The last line is there to its last character, but not ended. */
  readonly isOpenEnded: boolean;
  readonly defect: string | null;
}

/** `end`: where the line of the entry ends. */
type Visit = (entry: Entry, end: number) => void;

const EPOCH = new Date(0).toISOString();
const NAMED_LINES = 5;
const NOTHING_SAID = { createdAt: null, forkedFrom: null, by: null };

/** Null when not even its first line is whole: a creation that was interrupted, of which nobody knows the id. */
export const readLog = async (file: FileHandle, id: string, visit: Visit): Promise<LogContents | null> => {
  const reader = new LogReader(id, visit);
  await eachLine(file, (line) => reader.take(line));
  return reader.contents();
};

class LogReader {
  readonly #id: string;
  readonly #visit: Visit;
  readonly #unreadable: number[] = [];
  #unreadableCount = 0;
  #head: ConversationHead | null = null;
  #headDefect: string | null = null;
  #summary: Tally | null = null;
  #lines = 0;
  #headEnd = 0;
  #end = 0;
  #isOpenEnded = false;
  #tornBytes = 0;

  constructor(id: string, visit: Visit) {
    this.#id = id;
    this.#visit = visit;
  }

  take({ text, end, whole }: Line): void {
    this.#lines++;
    const isRead = this.#lines === 1 ? this.#takeHead(text, whole) : this.#takeMessage(text, end);
    // What is an object to its end was not cut; it is somebody else's.
    if (!isRead && !whole && parseObject(text ?? "") === null) {
      this.#tornBytes = end - this.#end;
      return;
    }
    if (!isRead && ++this.#unreadableCount <= NAMED_LINES) this.#unreadable.push(this.#lines);
    this.#end = end;
    this.#isOpenEnded = !whole;
    if (this.#lines === 1) this.#headEnd = end;
  }

  contents(): LogContents | null {
    const [head, summary] = [this.#head, this.#summary];
    if (head === null || summary === null) return null;
    const [headEnd, end, isOpenEnded] = [this.#headEnd, this.#end, this.#isOpenEnded];
    return { head, summary, headEnd, end, isOpenEnded, defect: this.#defect() };
  }

  #takeHead(text: string | null, whole: boolean): boolean {
    const line = text === null ? null : decodeHead(text);
    if (line === null && !whole) return false;
    if (line === null) this.#headDefect = "Line 1, which says what it is, cannot be read.";
    else if (line.id !== this.#id) this.#headDefect = `Line 1 says that it is ${JSON.stringify(line.id.slice(0, 80))}.`;
    const { createdAt, forkedFrom, by } = line ?? NOTHING_SAID;
    this.#head = {
      id: this.#id,
      createdAt: createdAt ?? EPOCH,
      ...(forkedFrom && { forkedFrom }),
      ...(by !== null && { by }),
    };
    this.#summary = beginSummary(this.#head, line?.title ?? null);
    return true;
  }

  #takeMessage(text: string | null, end: number): boolean {
    if (text?.trim() === "") return true;
    const [head, summary] = [this.#head, this.#summary];
    const entry = text === null || summary === null ? null : decodeMessage(text, summary.updatedAt);
    if (entry === null || summary === null || head === null) return false;
    this.#summary = addToSummary(summary, entry, head);
    this.#visit(entry, end);
    return true;
  }

  #defect(): string | null {
    const more = this.#unreadableCount - this.#unreadable.length;
    const named = this.#unreadable.join(", ") + (more > 0 ? ` and ${more} more` : "");
    const defects = [
      this.#headDefect,
      named === "" ? null : `Left out, because it cannot be read: line ${named}.`,
      this.#tornBytes === 0
        ? null
        : `Its end, ${this.#tornBytes} bytes of an unfinished line ${this.#lines}, was cut off.`,
    ].filter((each) => each !== null);
    return defects.length === 0 ? null : defects.join(" ");
  }
}
