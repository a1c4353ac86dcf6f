import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it } from "vitest";
import { prepareSchema } from "./evidence-schema.ts";
import { textPlaces } from "./key-sieve.ts";
import { SegmentIndex, type SegmentOptions } from "./segment-index.ts";
import { REPLY_TABLES } from "./replies-format.ts";

const dbs: DatabaseSync[] = [];
afterEach(() => dbs.splice(0).forEach((db) => db.close()));

const entriesOf = (more: Partial<SegmentOptions>): unknown[] => {
  const db = new DatabaseSync(":memory:");
  dbs.push(db);
  prepareSchema(db);
  const index = new SegmentIndex(db, {
    tables: REPLY_TABLES,
    size: 5,
    measure: "entries",
    placesOf: textPlaces,
    ...more,
  });
  for (const [id, row] of [
    ["b", 1],
    ["a", 2],
    ["b", 3],
    ["c", 4],
    ["b", 5],
  ] as const)
    index.add(id, row);
  index.advance(5);
  return db
    .prepare("SELECT key, reply FROM reply_key ORDER BY key, reply")
    .all()
    .map((row) => Object.values(row));
};

it("writes every row of an id into a segment, or only the last where nobody asks for the others", () => {
  expect(entriesOf({})).toEqual([
    ["a", 2],
    ["b", 1],
    ["b", 3],
    ["b", 5],
    ["c", 4],
  ]);
  expect(entriesOf({ latestOnly: true, size: 3 })).toEqual([
    ["a", 2],
    ["b", 5],
    ["c", 4],
  ]);
});
