/**
 * What becomes durable in the transaction of an event: records of state, the answer that is given again, arguments and result
 * where these are retained.
 */
import type { DatabaseSync } from "node:sqlite";
import { BESIDE, isPlainReply, REPLY_LINES, type DraftFields } from "./draft-fields.ts";
import { KEY_CHARS } from "./replies-format.ts";
import { PayloadTable } from "./payload-table.ts";
import { RepliesTable, type NewReply } from "./replies-table.ts";
import type { RowSeal } from "./row-seal.ts";
import { StateTable } from "./state-table.ts";

export interface BesidePlace {
  /** The last field of the draft. */
  readonly said: string;
  /** Of the event. */
  readonly sequence: number;
  readonly correlationId: string;
  /** Ms. */
  readonly at: number;
  /** Gives the next of the texts that travelled beside the drafts. */
  readonly nextText: () => string;
}

/** Of the lines that `packBeside` writes, from this one on. */
const readReply = (lines: DraftFields, at: number, sequence: number): NewReply => {
  const begunAt = lines[at + 2] ?? null;
  return {
    key: (lines[at] ?? "").slice(1),
    ended: { sequence, count: Number(lines[at + 1] ?? 1) },
    begun: begunAt === null ? null : { sequence: Number(begunAt), count: Number(lines[at + 3]) },
  };
};

/** Of the field that `packDraft` writes. */
const readPlainReply = (field: string, sequence: number): NewReply => ({
  key: field.slice(1, 1 + KEY_CHARS),
  ended: { sequence, count: 1 },
  begun: { sequence: Number(field.slice(1 + KEY_CHARS)), count: 1 },
});

export class BesideTables {
  readonly state: StateTable;
  readonly replies: RepliesTable;
  readonly payloads: PayloadTable;

  /** `dir` and `seal` null: the log is in memory. */
  constructor(db: DatabaseSync, dir: string | null, seal: RowSeal | null) {
    this.state = new StateTable(db);
    this.replies = new RepliesTable(db, seal);
    this.payloads = new PayloadTable(db, dir);
  }

  /** What stands beside a draft, whose own lines end before this one. Returns where the next draft begins. */
  write(lines: DraftFields, from: number, place: BesidePlace): number {
    const { said, sequence } = place;
    if (isPlainReply(said)) {
      this.replies.add(readPlainReply(said, sequence));
      return from;
    }
    const to = from + Number(said);
    for (let i = from; i < to;) {
      const tag = lines[i] ?? "";
      const key = lines[i + 1] ?? "";
      if (tag.startsWith(BESIDE.reply)) {
        this.replies.add(readReply(lines, i, sequence));
        i += REPLY_LINES;
      } else if (tag.startsWith(BESIDE.largeReply)) {
        this.replies.addLarge(readReply(lines, i, sequence), place.nextText(), place.at);
        i += REPLY_LINES;
      } else if (tag === BESIDE.payload) {
        this.payloads.put(place.sequence, place.correlationId, place.nextText());
        i += 1;
      } else if (tag.startsWith(BESIDE.put)) {
        this.state.put(tag.slice(1), key, lines[i + 2] ?? "", lines[i + 3] ?? null);
        i += 4;
      } else {
        this.state.remove(tag.slice(1), key);
        i += 2;
      }
    }
    return to;
  }
}
