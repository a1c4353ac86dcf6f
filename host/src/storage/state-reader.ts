/** What stands beside the log, as the rooms read it: records as they were at opening, answers as they are committed. */
import { join } from "node:path";
import type { HostState, KeptReply, StateSpace } from "../kernel/evidence.ts";
import { EVENT_ID_CHARS } from "./compose-event.ts";
import type { BesideDraft } from "./draft-fields.ts";
import { EVIDENCE_FILE } from "./evidence-schema.ts";
import { KEEP_MS, splitEventIds } from "./replies-format.ts";
import { RepliesReader } from "./replies-reader.ts";
import type { RowSeal } from "./row-seal.ts";

/** Of a log in memory only so many answers are kept. */
const MAX_IN_MEMORY = 10_000;

/** Where the log is, and what replies in it are sealed with. */
export interface ReplyFile {
  readonly dir: string;
  readonly seal: RowSeal;
}

export class StateReader implements HostState {
  readonly #spaces = new Map<string, [string, string][]>();
  readonly #replies: RepliesReader | null;
  readonly #inMemory = new Map<string, { readonly reply: KeptReply; readonly at: number }>();

  /** `file` null: the log is in memory. `flat` is space, key and value in turn. */
  constructor(file: ReplyFile | null, flat: readonly string[]) {
    this.#replies = file === null ? null : new RepliesReader(join(file.dir, EVIDENCE_FILE), file.seal);
    for (let i = 0; i < flat.length; i += 3) {
      const space = flat[i] ?? "";
      const entries = this.#spaces.get(space) ?? [];
      entries.push([flat[i + 1] ?? "", flat[i + 2] ?? ""]);
      this.#spaces.set(space, entries);
    }
  }

  entries(space: StateSpace): Iterable<readonly [key: string, value: string]> {
    return this.#spaces.get(space) ?? [];
  }

  reply(key: string): KeptReply | null {
    if (this.#replies !== null) return this.#replies.find(key, Date.now());
    const kept = this.#inMemory.get(key);
    return kept === undefined || kept.at < Date.now() - KEEP_MS ? null : kept.reply;
  }

  /** A reply with this key is to be written. */
  appending(key: string): void {
    this.#replies?.note(key);
  }

  /** After a commit; a log in a file needs none of it. `joined`: the ids of the commit up to that of its own event. */
  committed({ reply, together = 1 }: BesideDraft, joined: string): void {
    if (this.#replies !== null || reply === undefined) return;
    const eventIds = splitEventIds(joined.slice(-EVENT_ID_CHARS * together));
    this.#inMemory.delete(reply.key);
    this.#inMemory.set(reply.key, { reply: { text: reply.text, eventIds }, at: Date.now() });
    if (this.#inMemory.size <= MAX_IN_MEMORY) return;
    for (const oldest of this.#inMemory.keys()) {
      this.#inMemory.delete(oldest);
      return;
    }
  }

  close(): void {
    this.#replies?.close();
  }
}
