import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { draft, openLog, replyKey as keyOf, rowSeal, temporaryDir } from "./evidence-for-tests.ts";
import { prepareSchema } from "./evidence-schema.ts";
import { KEEP_MS } from "./replies-format.ts";
import { RepliesReader } from "./replies-reader.ts";
import { RepliesTable } from "./replies-table.ts";
import { SEGMENT_KEYS } from "./reply-index.ts";

const START = 1_000_000_000_000;
const HOUR_MS = 3_600_000;
/** Whether there is so much of each event that its answer stands in the row of the events. */
type IsCarried = boolean;
const line = (sequence: number, at: number, isCarried: IsCarried): string =>
  JSON.stringify({
    event_id: `evt ${sequence}`,
    invocation_id: `inv ${sequence}`,
    correlation: { correlation_id: "c" },
    timestamp: new Date(at).toISOString(),
    payload: isCarried ? "x".repeat(100) : "",
  });

interface CommitOptions {
  readonly keys?: (sequence: number) => string;
  /** One large reply after the others. */
  readonly hasLarge?: boolean;
  /** Too little of its events for its answers to stand in their row. */
  readonly isShort?: boolean;
}

/** A table whose n-th reply is that of key n, with a batch of the log for each commit. */
const openTable = (isCarried: IsCarried) => {
  const path = join(temporaryDir(), "evidence.db");
  const seal = rowSeal();
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  db.exec("PRAGMA journal_mode = WAL");
  prepareSchema(db);
  const insert = db.prepare("INSERT INTO batch (first, count, correlations, events, answers) VALUES (?, ?, '', ?, ?)");
  const openReader = (): RepliesReader => {
    const reader = new RepliesReader(path, seal);
    onTestFinished(() => reader.close());
    return reader;
  };
  let table = new RepliesTable(db, seal);
  let sequence = 0;
  const readers: RepliesReader[] = [];
  const commit = (count: number, at: number, { keys = keyOf, hasLarge, isShort }: CommitOptions = {}): void => {
    const first = sequence + 1;
    db.exec("BEGIN");
    const replies = Array.from({ length: count }, () => {
      sequence++;
      const reply = { key: keys(sequence), text: `text ${sequence}`, ended: { sequence, count: 1 }, begun: null };
      table.add(reply);
      return reply;
    });
    if (hasLarge) {
      const ended = { sequence: ++sequence, count: 1 };
      table.addLarge({ key: keys(sequence), text: `text ${sequence}`, ended, begun: null }, at);
    }
    if (sequence < first) sequence = first;
    const lines = Array.from({ length: sequence - first + 1 }, (_, i) =>
      line(first + i, at, isCarried && !isShort),
    ).join("\n");
    insert.run(first, sequence - first + 1, lines, table.flush(at, lines.length));
    db.exec("COMMIT");
    for (const reader of readers)
      for (const { key, text, ended } of replies) reader.committed({ key, text }, ended.sequence, first);
  };
  return {
    db,
    commit,
    openReader,
    follow: (reader: RepliesReader) => readers.push(reader),
    last: () => sequence,
    count: (of: string): number => Number(db.prepare(`SELECT count(*) AS n FROM ${of}`).get()?.["n"]),
    restart: (isClean: boolean): void => {
      if (isClean) table.close();
      table = new RepliesTable(db, seal);
    },
  };
};
const textOf = (reader: RepliesReader, name: string | number, now = START): string | null =>
  reader.find(keyOf(name), now)?.text ?? null;

describe.each([
  ["in rows of their own", false],
  ["in the rows of their events", true],
])("answers %s", (_place, isCarried) => {
  it("every reply is found, in whole segments, in the one being written and in the newest part, also by who comes later", () => {
    const { commit, openReader, follow, last, count, restart } = openTable(isCarried);
    const early = openReader();
    expect(textOf(early, 1)).toBeNull();
    follow(early);
    for (let i = 0; i < 3; i++) {
      while (last() < (i + 1) * SEGMENT_KEYS + 700) commit(1024, START);
      restart(i === 1);
    }
    commit(3, START);
    expect(count("answer_segment")).toBeGreaterThanOrEqual(2);
    const sample = Array.from({ length: 1000 }, (_, i) => 1 + Math.floor((i * last()) / 1000));
    for (const reader of [early, openReader()]) {
      for (const n of [...sample, last() - 3, last()]) expect([n, textOf(reader, n)]).toEqual([n, `text ${n}`]);
      for (let n = 1; n < 100; n++) expect(textOf(reader, `nothing ${n}`)).toBeNull();
    }
  });

  it("the latest reply of a key is the one that counts, whichever segment it is in", () => {
    const { commit, openReader, follow, last } = openTable(isCarried);
    const early = openReader();
    textOf(early, 1);
    follow(early);
    commit(4, START, { keys: () => keyOf("again") });
    for (const reader of [early, openReader()]) expect(textOf(reader, "again")).toBe("text 4");
    commit(1, START, { keys: () => keyOf("again") });
    for (const reader of [early, openReader()]) expect(textOf(reader, "again")).toBe("text 5");
    for (let i = 0; i < 40; i++) commit(1024, START);
    for (const reader of [early, openReader()]) expect(textOf(reader, "again")).toBe("text 5");
    commit(1, START, { keys: () => keyOf("again") });
    for (const reader of [early, openReader()]) expect(textOf(reader, "again")).toBe(`text ${last()}`);
  });

  it.each([
    ["", false],
    [", with a large one among them", true],
  ])("a commit with more keys than a segment has is found too%s", (_, hasLarge) => {
    const { commit, openReader, last, count, restart } = openTable(isCarried);
    commit(5, START);
    commit(40_000, START, { hasLarge });
    for (let i = 0; i < 20; i++) commit(1, START);
    const reader = openReader();
    restart(false);
    for (const each of [reader, openReader()])
      for (const n of [1, 5, 6, 20_000, 32_768, 32_769, 36_000, 40_005, 40_006, last()])
        expect([n, textOf(each, n)]).toEqual([n, `text ${n}`]);
    expect(count("answer_segment")).toBe(1);
  });

  it.each([1, 2, 3])("a first look that fails at its read number %i is not taken for a look at everything", (nth) => {
    const { commit, openReader } = openTable(isCarried);
    commit(1, START);
    const reader = openReader();
    // oxlint-disable-next-line typescript/unbound-method -- it is called on the statement below
    const { iterate } = StatementSync.prototype;
    let reads = 0;
    const failing = vi.spyOn(StatementSync.prototype, "iterate").mockImplementation(function read(this: StatementSync) {
      if (++reads === nth) throw new Error("the disk did not answer");
      return iterate.apply(this, arguments as unknown as Parameters<typeof iterate>);
    });
    onTestFinished(() => failing.mockRestore());
    expect(() => textOf(reader, 1)).toThrow("the disk did not answer");
    expect(textOf(reader, 1)).toBe("text 1");
  });

  it("what a failed commit may have left in the file is looked for there", () => {
    const { commit, openReader } = openTable(isCarried);
    const reader = openReader();
    expect(textOf(reader, 1)).toBeNull();
    commit(1, START);
    expect(textOf(reader, 1)).toBeNull();
    reader.failed();
    expect(textOf(reader, 1)).toBe("text 1");
  });

  it("replies go after a day, a few rows with each commit, and their index with them", () => {
    const { db, commit, openReader, follow, last, count } = openTable(isCarried);
    const reader = openReader();
    textOf(reader, 1);
    follow(reader);
    for (let i = 0; i < (2 * SEGMENT_KEYS) / 1024; i++) commit(1024, START + i);
    for (let i = 0; i < 200; i++) commit(1, START + 1000);
    expect(count("answer_segment")).toBe(2);
    expect(textOf(reader, 5, START + 1000)).toBe("text 5");
    expect(textOf(reader, 5, START + KEEP_MS + 1)).toBeNull();
    const later = START + HOUR_MS + KEEP_MS + 5000;
    for (let i = 0; i < 200; i++) commit(1, later);
    const table = isCarried ? "answer_key" : "answer";
    expect(db.prepare(`SELECT min(first) > ? AS gone FROM ${table}`).get(2 * SEGMENT_KEYS)).toEqual({ gone: 1 });
    expect([count("answer_segment"), count("answer_bucket WHERE id < 512"), count("answer_bucket")]).toEqual([
      1, 0, 256,
    ]);
    expect(textOf(reader, 5, later)).toBeNull();
    expect(textOf(reader, last(), later)).toBe(`text ${last()}`);
  });

  it("a sieve that lets a key through which is not there leads nowhere", () => {
    const { db, commit, openReader } = openTable(isCarried);
    for (let i = 0; i < 40; i++) commit(1024, START);
    db.prepare("UPDATE answer_segment SET sieve = ?").run(Buffer.alloc(65_536, 0xff));
    const reader = openReader();
    expect([textOf(reader, "nothing"), textOf(reader, 7)]).toEqual([null, "text 7"]);
  });

  it("a reply whose event is not in the log is not taken for one that never was", () => {
    const { db, commit, openReader } = openTable(isCarried);
    commit(2, START);
    db.exec("INSERT INTO unlocked VALUES (1); UPDATE batch SET events = ''");
    expect(openReader().find(keyOf(1), START)).toEqual({ text: "", eventIds: [], call: null });
  });
});

it("the keys of answers in rows of events are one for each hour, and are destroyed a day after it; a restart has its own", () => {
  const { db, commit, openReader, count, restart } = openTable(true);
  const rows = (): unknown[] =>
    db
      .prepare("SELECT first FROM answer_key")
      .all()
      .map(({ first }) => first);
  const times = [0, HOUR_MS - 1, HOUR_MS, 2 * HOUR_MS];
  for (const time of times) commit(1, START + time);
  restart(true);
  commit(1, START + 2 * HOUR_MS);
  expect(rows()).toEqual([1, 3, 4, 5]);
  const reader = openReader();
  const found = (now: number): number[] => [1, 2, 3, 4, 5].filter((n) => textOf(reader, n, now) === `text ${n}`);
  const later = START + KEEP_MS;
  expect(found(later)).toEqual([1, 2, 3, 4, 5]);
  expect(found(later + 1)).toEqual([2, 3, 4, 5]);
  commit(1, later + HOUR_MS);
  expect(rows()).toEqual([1, 3, 4, 5, 6]);
  commit(1, later + HOUR_MS + 1);
  expect(rows()).toEqual([3, 4, 5, 6]);
  expect(found(START)).toEqual([3, 4, 5]);
  restart(false);
  for (const each of [reader, openReader()])
    expect([1, 3].map((n) => textOf(each, n, later))).toEqual([null, "text 3"]);
  expect(count("answer")).toBe(0);
});

it("answers in rows of events are found through rows that carry none, and with those in rows of their own", () => {
  const { commit, openReader, follow, count, restart } = openTable(true);
  const early = openReader();
  textOf(early, 1);
  follow(early);
  for (let i = 0; i < 3; i++) {
    commit(2, START);
    commit(0, START);
    commit(1, START, { isShort: true });
    commit(0, START);
  }
  expect(count("answer")).toBe(3);
  for (let i = 0; i < 2; i++) {
    restart(false);
    for (const reader of [early, openReader()])
      for (const n of [1, 2, 4, 6, 7, 9, 11, 12, 14]) expect([n, textOf(reader, n)]).toEqual([n, `text ${n}`]);
    commit(1, START, { keys: () => keyOf("more") });
  }
});

it("large replies have rows of their own, and small ones beside them are found", async () => {
  const dir = temporaryDir();
  const log = await openLog(dir);
  const large = "x".repeat(70_000);
  expect(log.state.reply(keyOf("a"))).toBeNull();
  const append = (name: string, text: string) => log.append(draft(), { reply: { key: keyOf(name), text } });
  await Promise.all([
    append("a", large),
    append("b", "b"),
    append("c", large),
    append("d", "d"),
    append("b", "b again"),
  ]);
  const texts = ["a", "b", "c", "d"].map((name) => log.state.reply(keyOf(name))?.text);
  expect(texts).toEqual([large, "b again", large, "d"]);
});
