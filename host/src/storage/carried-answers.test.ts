import { expect, it } from "vitest";
import { replyKey as keyOf } from "./evidence-for-tests.ts";
import { HOUR_MS, openTable, START, textOf } from "./replies-for-tests.ts";
import { KEEP_MS } from "./replies-format.ts";

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
    expect([1, 3].map((n) => textOf(each, n, later + HOUR_MS))).toEqual([null, "text 3"]);
  expect(count("answer")).toBe(0);
});

it("an answer whose key is gone before its time is not taken for one that never was", () => {
  const { db, commit, openReader } = openTable(true);
  commit(1, START);
  const reader = openReader();
  expect(textOf(reader, 1)).toBe("text 1");
  db.exec("DELETE FROM answer_key");
  expect([textOf(reader, 1), textOf(reader, 1, START + KEEP_MS + 1)]).toEqual(["", null]);
});

it("how short an answer is beside its event is told by bytes", () => {
  const { commit, openReader, count } = openTable(true);
  commit(1, START, { text: "x".repeat(24) });
  expect(count("answer")).toBe(0);
  commit(1, START, { text: "\u5b57".repeat(12) });
  expect(count("answer")).toBe(1);
  expect([1, 2].map((n) => textOf(openReader(), n))).toEqual(["x".repeat(24), "\u5b57".repeat(12)]);
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
