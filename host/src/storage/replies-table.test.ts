import { StatementSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { draft, openLog, replyKey as keyOf, temporaryDir } from "./evidence-for-tests.ts";
import { HOUR_MS, openTable, START, textOf } from "./replies-for-tests.ts";
import { KEEP_MS } from "./replies-format.ts";
import { SEGMENT_KEYS } from "./reply-index.ts";

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
    ["", 0],
    [", with a large one among them", 1],
  ])("a commit with more keys than a segment has is found too%s", (_, large) => {
    const { commit, openReader, last, count, restart } = openTable(isCarried);
    commit(5, START);
    commit(40_000, START, { large });
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

  it("after a crash with many keys in no segment, small replies of a commit with large ones are not lost", () => {
    const { commit, openReader, last, restart } = openTable(isCarried);
    for (const count of [SEGMENT_KEYS - 1, 1, SEGMENT_KEYS - 2]) commit(count, START);
    restart(false);
    commit(1, START, { large: 4 });
    const [small, end] = [last() - 4, last()];
    for (let i = 0; i < 20; i++) commit(1, START);
    for (let i = 0; i < 2; i++) {
      for (let n = small; n <= end; n++) expect([n, textOf(openReader(), n)]).toEqual([n, `text ${n}`]);
      restart(false);
    }
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
