/**
 * What becomes durable in the transaction of an event: records of state, the answer that is given again, arguments and result
 * where these are retained.
 */
import type { DatabaseSync } from "node:sqlite";
import { EVENT_ID_CHARS } from "./compose-event.ts";
import { BESIDE, type DraftFields } from "./draft-fields.ts";
import { PayloadTable } from "./payload-table.ts";
import { KEY_CHARS } from "./replies-format.ts";
import { RepliesTable } from "./replies-table.ts";
import type { RowSeal } from "./row-seal.ts";
import { StateTable } from "./state-table.ts";

export interface BesidePlace {
  /** Of the event. */
  readonly sequence: number;
  readonly correlationId: string;
  readonly eventId: string;
  /** Of its own event and those of the batch before it, joined. */
  readonly eventIds: string;
  /** Ms. */
  readonly at: number;
  /** Gives the next of the texts that travelled beside the drafts. */
  readonly nextText: () => string;
}

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

  /** Takes the lines that stand after a draft. */
  write(lines: DraftFields, place: BesidePlace): void {
    for (let i = 0; i < lines.length;) {
      const tag = lines[i] ?? "";
      const name = tag.slice(1);
      const key = lines[i + 1] ?? "";
      if (tag.startsWith(BESIDE.reply)) {
        const together = Number(name.slice(KEY_CHARS));
        // Cutting from ids that are still being joined would copy all of them, for each reply.
        const eventIds = together === 1 ? place.eventId : place.eventIds.slice(-EVENT_ID_CHARS * together);
        // Kept for long, and a part of the text of the whole commit would keep that.
        const own = Buffer.from(name.slice(0, KEY_CHARS)).toString("latin1");
        this.replies.add({ key: own, text: place.nextText(), eventIds }, place);
        i += 1;
      } else if (tag === BESIDE.payload) {
        this.payloads.put(place.sequence, place.correlationId, place.nextText());
        i += 1;
      } else if (tag.startsWith(BESIDE.put)) {
        this.state.put(name, key, lines[i + 2] ?? "", lines[i + 3] ?? null);
        i += 4;
      } else {
        this.state.remove(name, key);
        i += 2;
      }
    }
  }
}
