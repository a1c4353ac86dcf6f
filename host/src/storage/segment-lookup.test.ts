import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { CorrelationIndex, SEGMENT_EVENTS } from "./correlation-index.ts";
import { rowSeal, temporaryDir } from "./evidence-for-tests.ts";
import { prepareSchema } from "./evidence-schema.ts";
import { KeySieve, sievePlaces } from "./key-sieve.ts";
import { RepliesReader } from "./replies-reader.ts";
import { SegmentLookup } from "./segment-lookup.ts";

const TABLES = { segments: "reply_segment", entries: "reply_key", id: "key", row: "reply" };
const keyOf = (name: string): string => hash("sha256", name);
/** More than are taken from the file at once, and more than memory had a place for in the past. */
const SEGMENTS = 200;

const openDb = (path = ":memory:"): DatabaseSync => {
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  prepareSchema(db);
  return db;
};

/** Segment n has key n and, without its sieve's knowing, a key that is in no segment. */
const fill = (db: DatabaseSync): void => {
  const segment = db.prepare("INSERT INTO reply_segment (id, upto, sieve) VALUES (?, ?, ?)");
  const entry = db.prepare("INSERT INTO reply_key (segment, key, reply) VALUES (?, ?, ?)");
  db.exec("BEGIN");
  for (let n = 1; n <= SEGMENTS; n++) {
    const sieve = new KeySieve();
    sieve.add(sievePlaces(keyOf(`key ${n}`)));
    segment.run(n, n, sieve.bytes);
    entry.run(n, keyOf(`key ${n}`), n);
    entry.run(n, keyOf("planted"), n);
  }
  db.exec("COMMIT");
};

const warm = (look: (key: string) => unknown): void => {
  for (let i = 0; i < SEGMENTS; i++) look(keyOf(`nothing ${i}`));
};

it("every id of every segment is found, and once the sieves are known no segment is looked into that has it not", () => {
  const db = openDb();
  fill(db);
  const lookup = new SegmentLookup(db, TABLES, sievePlaces);
  const found = () => Array.from({ length: SEGMENTS }, (_, i) => lookup.latest(keyOf(`key ${i + 1}`)));
  const all = Array.from({ length: SEGMENTS }, (_, i) => i + 1);
  expect(new SegmentLookup(db, TABLES, sievePlaces).latest(keyOf("planted"))).not.toBeNull();
  expect(found()).toEqual(all);
  warm((key) => lookup.latest(key));
  expect(found()).toEqual(all);
  expect(lookup.latest(keyOf("planted"))).toBeNull();
  expect([...lookup.rows(keyOf("key 7"))]).toEqual([7]);
});

it("segments that come are taken in, and those that are gone forgotten", () => {
  const db = openDb();
  fill(db);
  const lookup = new SegmentLookup(db, TABLES, sievePlaces);
  warm((key) => lookup.latest(key));
  db.exec("DELETE FROM reply_segment WHERE id <= 150; INSERT INTO reply_segment VALUES (201, 201, zeroblob(65536))");
  lookup.refresh();
  expect(lookup.latest(keyOf("key 150"))).toBeNull();
  expect(lookup.latest(keyOf("key 151"))).toBe(151);
  db.exec("DELETE FROM reply_segment");
  lookup.refresh();
  expect(lookup.latest(keyOf("key 151"))).toBeNull();
});

it("an answer is looked for in one segment, however many there are", () => {
  const path = join(temporaryDir(), "evidence.db");
  fill(openDb(path));
  const replies = new RepliesReader(path, rowSeal());
  const db = openDb(path);
  db.prepare("INSERT INTO reply (first, at, keys, sequences, texts) VALUES (?, ?, ?, '1', 'x')").run(
    SEGMENTS,
    Date.now(),
    keyOf("planted"),
  );
  warm((key) => replies.find(key, Date.now()));
  expect(replies.find(keyOf("planted"), Date.now())).toBeNull();
  replies.close();
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
