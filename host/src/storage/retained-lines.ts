/**
 * The two changes that stored events may undergo: a whole correlation is purged, which leaves empty lines and their leaves
 * in the tree, or a payload is withheld. Only inside the transaction of the event that says so, while the log is unlocked.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { EvidenceDraft } from "../kernel/evidence.ts";
import { stable } from "../kernel/stable.ts";
import type { BesideTables } from "./beside-tables.ts";
import type { CorrelationIndex } from "./correlation-index.ts";
import { contentHashOfLine, correlationOfLine } from "./event-line.ts";
import type { StoredBatch, StoredBatches } from "./stored-batches.ts";
import { leafHash } from "./tree/tree-hash.ts";

export interface Retained {
  readonly draft: EvidenceDraft;
  /** Correlations of which nothing is left. */
  readonly purged: readonly string[];
}

export interface PurgedLines {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export interface RetainedParts {
  readonly beside: BesideTables;
  readonly batches: StoredBatches;
  readonly index: CorrelationIndex;
}

const WITHHELD = { chp_withheld: true };

export class RetainedLines {
  readonly #parts: RetainedParts;
  readonly #update: StatementSync;
  readonly #answers: StatementSync;
  readonly #keepLeaf: StatementSync;
  readonly #unlock: StatementSync;
  readonly #lock: StatementSync;
  readonly #place: StatementSync;
  readonly #keepPlace: StatementSync;

  constructor(db: DatabaseSync, parts: RetainedParts) {
    this.#parts = parts;
    this.#update = db.prepare("UPDATE batch SET events = ?, answers = ? WHERE first = ?");
    this.#answers = db.prepare("SELECT answers FROM batch WHERE first = ?");
    this.#keepLeaf = db.prepare("INSERT OR IGNORE INTO leaf (sequence, hash) VALUES (?, ?)");
    this.#unlock = db.prepare("INSERT INTO unlocked (id) VALUES (1)");
    this.#lock = db.prepare("DELETE FROM unlocked");
    this.#place = db.prepare("SELECT next FROM retention WHERE id = 1 AND holds = ?");
    this.#keepPlace = db.prepare("INSERT OR REPLACE INTO retention (id, next, holds) VALUES (1, ?, ?)");
  }

  /** The first sequence that retention has not looked at, while it was told to hold the same. */
  place(holds: readonly string[]): number {
    return Number(this.#place.get(JSON.stringify(holds))?.["next"] ?? 1);
  }

  keepPlace(next: number, holds: readonly string[]): void {
    this.#keepPlace.run(next, JSON.stringify(holds));
  }

  /** Null when there is nothing of these correlations. */
  purge(correlationIds: ReadonlySet<string>): PurgedLines | null {
    const purged: number[] = [];
    for (const first of this.#parts.index.rowsOf(correlationIds)) {
      const batch = this.#parts.batches.at(first);
      if (batch === null) continue;
      const sequences = new Set<number>();
      batch.lines.forEach((line, i) => {
        if (line === "" || !correlationIds.has(correlationOfLine(line))) return;
        const sequence = batch.first + i;
        this.#keepLeaf.run(sequence, leafHash(correlationOfLine(line), contentHashOfLine(line)));
        batch.lines[i] = "";
        sequences.add(sequence);
      });
      if (sequences.size === 0) continue;
      this.#write(batch, sequences);
      this.#parts.beside.replies.purge(sequences, [batch.first, batch.first + batch.lines.length - 1]);
      purged.push(...sequences);
    }
    this.#parts.beside.payloads.destroy(correlationIds);
    this.#parts.beside.state.purge(correlationIds);
    const [first, last] = [purged[0], purged[purged.length - 1]];
    return first === undefined || last === undefined ? null : { first, last, count: purged.length };
  }

  /** The event whose payload it took out; null when there is none, or nothing in it to take. */
  withhold(sequence: number): { readonly event_id: string; readonly correlationId: string } | null {
    const batch = this.#parts.batches.at(sequence);
    const line = batch?.lines[sequence - batch.first] ?? "";
    if (batch === null || line === "") return null;
    this.#parts.beside.payloads.destroyOne(sequence);
    const event = JSON.parse(line) as { readonly event_id: string };
    const after = stable({ ...event, payload: WITHHELD });
    if (after === line) return null;
    batch.lines[sequence - batch.first] = after;
    this.#write(batch, new Set());
    return { event_id: event.event_id, correlationId: correlationOfLine(line) };
  }

  /** `purged`: the sequences of those of its events that are gone now. */
  #write({ first, lines }: StoredBatch, purged: ReadonlySet<number>): void {
    const answers = (this.#answers.get(first)?.["answers"] ?? null) as Uint8Array | null;
    this.#unlock.run();
    this.#update.run(lines.join("\n"), this.#parts.beside.replies.purgeCarried(answers, purged), first);
    this.#lock.run();
  }
}
