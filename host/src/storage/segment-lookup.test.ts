import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { CorrelationIndex, SEGMENT_EVENTS } from "./correlation-index.ts";
import { prepareSchema } from "./evidence-schema.ts";
import { KeySieve, textPlaces } from "./key-sieve.ts";
import { SegmentLookup } from "./segment-lookup.ts";
import { SegmentSieves } from "./segment-sieves.ts";

const TABLES = { segments: "segment", entries: "correlation", id: "correlation_id", row: "batch" };
/** More than are taken from the file at once, and more than memory had a place for in the past. */
const SEGMENTS = 200;

const openDb = (): DatabaseSync => {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  prepareSchema(db);
  return db;
};

/** Segment n has key n and, without its sieve's knowing, a key that is in no segment. */
const fill = (db: DatabaseSync): void => {
  const segment = db.prepare("INSERT INTO segment (id, upto, sieve) VALUES (?, ?, ?)");
  const entry = db.prepare("INSERT INTO correlation (segment, correlation_id, batch) VALUES (?, ?, ?)");
  db.exec("BEGIN");
  for (let n = 1; n <= SEGMENTS; n++) {
    const sieve = new KeySieve();
    sieve.add(textPlaces(`key ${n}`));
    segment.run(n, n, sieve.bytes);
    entry.run(n, `key ${n}`, n);
    entry.run(n, "planted", n);
  }
  db.exec("COMMIT");
};

const warm = (look: (key: string) => unknown): void => {
  for (let i = 0; i < SEGMENTS; i++) look(`nothing ${i}`);
};

it("every id of every segment is found, and once the sieves are known no segment is looked into that has it not", () => {
  const db = openDb();
  fill(db);
  const lookup = new SegmentLookup(db, TABLES, textPlaces);
  const found = () => Array.from({ length: SEGMENTS }, (_, i) => lookup.latest(`key ${i + 1}`));
  const all = Array.from({ length: SEGMENTS }, (_, i) => i + 1);
  expect(new SegmentLookup(db, TABLES, textPlaces).latest("planted")).not.toBeNull();
  expect(found()).toEqual(all);
  warm((key) => lookup.latest(key));
  expect(found()).toEqual(all);
  expect(lookup.latest("planted")).toBeNull();
  expect([...lookup.rows("key 7")]).toEqual([7]);
});

it("segments that come are taken in, and those that are gone forgotten", () => {
  const db = openDb();
  fill(db);
  const sieves = new SegmentSieves(db, "segment");
  const mayHold = (key: string): readonly number[] => sieves.mayHold(textPlaces(key));
  warm(mayHold);
  db.exec("DELETE FROM segment WHERE id <= 150; INSERT INTO segment VALUES (201, 201, zeroblob(65536))");
  sieves.refresh();
  warm(mayHold);
  expect([mayHold("key 150"), mayHold("key 151")]).toEqual([[], [151]]);
  db.exec("DELETE FROM segment");
  sieves.refresh();
  expect(mayHold("key 151")).toEqual([]);
});

it("a correlation is found again in whole segments, in the one being written and in the newest part", () => {
  const db = openDb();
  const index = new CorrelationIndex(db);
  const write = (from: number, count: number): void => {
    for (let n = from; n < from + count; n++) {
      index.add(`job ${n}`, n);
      index.advance(n);
    }
  };
  write(1, SEGMENT_EVENTS + 1000);
  const segments = () => Number(db.prepare("SELECT count(*) AS n FROM segment").get()?.["n"]);
  expect(segments()).toBe(1);
  write(SEGMENT_EVENTS + 1001, SEGMENT_EVENTS - 950);
  expect(segments()).toBe(1);
  const last = 2 * SEGMENT_EVENTS + 50;
  for (const n of [1, 2, 777, SEGMENT_EVENTS, SEGMENT_EVENTS + 500, last - 60, last]) {
    expect([n, index.latest(`job ${n}`)]).toEqual([n, n]);
  }
  expect(index.latest("job 0")).toBeNull();
  index.add("job 1", last + 1);
  expect(index.latest("job 1")).toBe(last + 1);
  expect(index.rowsOf(new Set(["job 1", "job 777", "nothing", `job ${last}`]))).toEqual([1, 777, last, last + 1]);
});

it("a log of an earlier format is taken over, its segments without sieves", () => {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  db.exec(`CREATE TABLE segment (id INTEGER PRIMARY KEY, upto INTEGER NOT NULL) STRICT;
    CREATE TABLE correlation (segment INTEGER NOT NULL, correlation_id TEXT NOT NULL, batch INTEGER NOT NULL,
      PRIMARY KEY (segment, correlation_id, batch)) STRICT, WITHOUT ROWID;
    INSERT INTO segment VALUES (1, 9); INSERT INTO correlation VALUES (1, 'job', 4); PRAGMA user_version = 1`);
  prepareSchema(db);
  const index = new CorrelationIndex(db);
  for (let i = 0; i < 3; i++) expect([index.latest("job"), index.latest("other")]).toEqual([4, null]);
});
