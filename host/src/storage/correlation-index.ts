/** Which batches hold events of a correlation. */
import type { DatabaseSync } from "node:sqlite";
import { textPlaces } from "./key-sieve.ts";
import { SegmentIndex } from "./segment-index.ts";
import { SegmentLookup } from "./segment-lookup.ts";

export const SEGMENT_EVENTS = 32_768;
const TABLES = { segments: "segment", entries: "correlation", id: "correlation_id", row: "batch" };

export class CorrelationIndex extends SegmentIndex {
  constructor(db: DatabaseSync) {
    const whole = new SegmentLookup(db, TABLES, textPlaces);
    super(db, { tables: TABLES, size: SEGMENT_EVENTS, placesOf: textPlaces, whole });
    const tail = db.prepare("SELECT first, count, correlations FROM batch WHERE first > ? ORDER BY first");
    let last = this.indexed;
    for (const batch of tail.iterate(this.indexed)) {
      const first = Number(batch["first"]);
      // Parsed rather than sliced: a slice keeps the text it was cut from in memory.
      for (const text of String(batch["correlations"]).split("\n")) this.add(JSON.parse(text) as string, first);
      last = first + Number(batch["count"]) - 1;
    }
    this.restored(last);
  }
}
