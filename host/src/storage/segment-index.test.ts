import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { prepareSchema } from "./evidence-schema.ts";
import { textPlaces } from "./key-sieve.ts";
import { SegmentIndex } from "./segment-index.ts";
import { SegmentLookup } from "./segment-lookup.ts";

const TABLES = { segments: "segment", entries: "correlation", id: "correlation_id", row: "batch" };

it("writes every row of an id into a segment", () => {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  prepareSchema(db);
  const whole = new SegmentLookup(db, TABLES, textPlaces);
  const index = new SegmentIndex(db, { tables: TABLES, size: 5, placesOf: textPlaces, whole });
  for (const [id, row] of [
    ["b", 1],
    ["a", 2],
    ["b", 3],
    ["c", 4],
    ["b", 5],
  ] as const)
    index.add(id, row);
  index.advance(5);
  const entries = db.prepare("SELECT correlation_id, batch FROM correlation ORDER BY correlation_id, batch").all();
  expect(entries.map((row) => Object.values(row))).toEqual([
    ["a", 2],
    ["b", 1],
    ["b", 3],
    ["b", 5],
    ["c", 4],
  ]);
});
