/**
 * What becomes durable in the transaction of an event: records of state, the answer that is given again, arguments and result
 * where these are retained.
 */
import type { DatabaseSync } from "node:sqlite";
import { BESIDE, type DraftFields } from "./draft-fields.ts";
import { PayloadTable } from "./payload-table.ts";
import { KEY_CHARS } from "./replies-format.ts";
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

/** As `packBeside` writes it, after its mark. */
const readReply = (tag: string, text: string, { sequence }: BesidePlace): NewReply => {
  const key = tag.slice(1, 1 + KEY_CHARS);
  if (tag.length === 1 + KEY_CHARS) return { key, text, ended: { sequence, count: 1 }, begun: null };
  const [together, begunAt, begun] = tag.slice(1 + KEY_CHARS).split(" ");
  return {
    key,
    text,
    ended: { sequence, count: Number(together) || 1 },
    begun: begun === undefined ? null : { sequence: Number(begunAt), count: Number(begun) },
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
    for (let i = from; i < to;) {
      const tag = lines[i] ?? "";
      const key = lines[i + 1] ?? "";
      if (tag.startsWith(BESIDE.reply)) {
        this.replies.add(readReply(tag, key, place));
        i += 2;
      } else if (tag.startsWith(BESIDE.largeReply)) {
        this.replies.addLarge(readReply(tag, place.nextText(), place), place.at);
        i += 1;
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
