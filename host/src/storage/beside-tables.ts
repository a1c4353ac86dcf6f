/**
 * What becomes durable in the transaction of an event: records of state, the answer that is given again, arguments and result
 * where these are retained.
 */
import type { DatabaseSync } from "node:sqlite";
import { BESIDE, REPLY_LINES, type DraftFields } from "./draft-fields.ts";
import { PayloadTable } from "./payload-table.ts";
import { RepliesTable, type NewReply } from "./replies-table.ts";
import type { RowSeal } from "./row-seal.ts";
import { StateTable } from "./state-table.ts";

export interface BesidePlace {
  /** Of the event. */
  readonly sequence: number;
  readonly correlationId: string;
  /** Ms. */
  readonly at: number;
  /** Gives the next of the texts that travelled beside the drafts. */
  readonly nextText: () => string;
}

/** Of the lines that `packBeside` writes, from this one on. */
const readReply = (
  lines: DraftFields,
  at: number,
  { sequence, text }: { readonly sequence: number; readonly text: string },
): NewReply => {
  const begunAt = lines[at + 2] ?? null;
  return {
    key: (lines[at] ?? "").slice(1),
    text,
    ended: { sequence, count: Number(lines[at + 1] ?? 1) },
    begun: begunAt === null ? null : { sequence: Number(begunAt), count: Number(lines[at + 3]) },
  };
};

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

  /** Takes the lines that stand after a draft, from the one to before the other. */
  write(lines: DraftFields, [from, to]: readonly [number, number], place: BesidePlace): void {
    const { sequence } = place;
    for (let i = from; i < to;) {
      const tag = lines[i] ?? "";
      const key = lines[i + 1] ?? "";
      if (tag.startsWith(BESIDE.reply)) {
        this.replies.add(readReply(lines, i, { sequence, text: lines[i + REPLY_LINES] ?? "" }));
        i += REPLY_LINES + 1;
      } else if (tag.startsWith(BESIDE.largeReply)) {
        this.replies.addLarge(readReply(lines, i, { sequence, text: place.nextText() }), place.at);
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
  }
}
