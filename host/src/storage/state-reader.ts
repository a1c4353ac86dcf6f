/** What stands beside the log, as the rooms read it: records as they were at opening, answers as they are committed. */
import { join } from "node:path";
import type { EvidenceDraft, HostState, KeptReply, StateSpace } from "../kernel/evidence.ts";
import { EVENT_ID_CHARS } from "./compose-event.ts";
import type { BesideDraft } from "./draft-fields.ts";
import { EVIDENCE_FILE } from "./evidence-schema.ts";
import { KEEP_MS } from "./replies-format.ts";
import { RepliesReader } from "./replies-reader.ts";
import type { RowSeal } from "./row-seal.ts";

/** Of a log in memory only so many answers are kept. */
const MAX_IN_MEMORY = 10_000;

/** Where the log is, and what replies in it are sealed with. */
export interface ReplyFile {
  readonly dir: string;
  readonly seal: RowSeal;
}

/** Of an event that was committed. */
export interface Committed {
  readonly draft: EvidenceDraft;
  readonly beside: BesideDraft;
  readonly sequence: number;
  /** All of the commit, joined. */
  readonly eventIds: string;
  /** The sequence of the first of them. */
  readonly first: number;
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

  committed({ draft, beside, sequence, eventIds, first }: Committed): void {
    const { reply, together = 1 } = beside;
    if (reply === undefined) return;
    if (this.#replies !== null) return this.#replies.committed(reply, sequence, first);
    const end = (sequence - first + 1) * EVENT_ID_CHARS;
    const ids = splitEventIds(eventIds.slice(end - EVENT_ID_CHARS * together, end));
    const { invocationId, correlation, capabilityId, capabilityVersion, outcome } = draft;
    const call = { invocationId, correlation, capabilityId, capabilityVersion, outcome, at: Date.now(), begunAt: null };
    const earlier = reply.begun?.eventIds ?? [];
    this.#inMemory.delete(reply.key);
    const kept = { text: reply.text, eventIds: [...earlier, ...ids], call };
    this.#inMemory.set(reply.key, { reply: kept, at: call.at });
    if (this.#inMemory.size <= MAX_IN_MEMORY) return;
    for (const oldest of this.#inMemory.keys()) {
      this.#inMemory.delete(oldest);
      return;
    }
  }

  /** A commit failed. */
  failed(): void {
    this.#replies?.failed();
  }

  close(): void {
    this.#replies?.close();
  }
}

const splitEventIds = (joined: string): readonly string[] => {
  const eventIds: string[] = [];
  for (let at = 0; at < joined.length; at += EVENT_ID_CHARS) eventIds.push(joined.slice(at, at + EVENT_ID_CHARS));
  return eventIds;
};
