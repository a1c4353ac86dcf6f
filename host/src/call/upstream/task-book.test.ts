import { describe, expect, it } from "vitest";
import type { TaskRecord } from "../../kernel/tasks.ts";
import { keepTasks, LOCAL, taskRecord } from "./task-records-for-tests.ts";
import { TaskBook } from "./task-book.ts";

const HOUR = 3_600_000;
const open = (store = keepTasks()) => ({ store, book: new TaskBook(store, () => true) });
const has = (book: TaskBook, id: string): boolean => book.find({ id, provider: null, principal: LOCAL }) !== null;

const endOne = async (book: TaskBook, record: TaskRecord): Promise<void> => {
  const entry = book.admit(record);
  await book.keep(entry);
  await book.end(entry);
};

describe("a task that ended", () => {
  it.each([
    ["an hour, when it says nothing", null, HOUR],
    ["an hour, when it would live shorter than that", 1_000, HOUR],
    ["as long as it says", 3 * HOUR, 3 * HOUR],
    ["seven days, whatever it says", 1e15, 7 * 24 * HOUR],
  ])("is kept for %s, on disk too", async (_, ttlMs, kept) => {
    const { store, book } = open();
    await endOne(book, taskRecord("tk_a", { ttlMs, createdAt: Date.now() }));
    book.sweep(Date.now() + kept - 10_000);
    expect(has(book, "tk_a")).toBe(true);
    book.sweep(Date.now() + kept + 10_000);
    expect(has(book, "tk_a")).toBe(false);
    expect([...store.records()]).toEqual([]);
  });

  it("makes room for its principal's next ones, the oldest first, and for nobody else's", async () => {
    const { book } = open();
    const other = { ...LOCAL, id: "agent:other" };
    await endOne(book, taskRecord("tk_other", { principal: other }));
    for (let i = 0; i < 501; i++) await endOne(book, taskRecord(`tk_${i}`));
    expect([has(book, "tk_0"), has(book, "tk_1"), has(book, "tk_500")]).toEqual([false, true, true]);
    expect(book.find({ id: "tk_other", provider: null, principal: other })).not.toBeNull();
  });
});

describe("an open task", () => {
  it("is never forgotten, however old", () => {
    const { book } = open();
    book.admit(taskRecord("tk_a", { ttlMs: 1, createdAt: 0 }));
    book.sweep();
    expect(has(book, "tk_a")).toBe(true);
  });

  it("is one of 64 a principal and 1000 a host; one that ended gives its place to another", async () => {
    const { book } = open();
    const fill = (principal: string, count: number) =>
      Array.from({ length: count }, (_, i) =>
        book.admit(taskRecord(`tk_${principal}_${i}`, { principal: { ...LOCAL, id: principal } })),
      );
    const [first] = fill("agent:a", 64);
    expect(() => fill("agent:a", 1)).toThrow("64 tasks of this principal");
    await book.end(first!);
    fill("agent:a", 1);
    for (let i = 0; i < 15; i++) fill(`agent:${i}`, 62);
    fill("agent:b", 6);
    expect(() => fill("agent:c", 1)).toThrow("1000 tasks of this host");
  });

  it("whose call has its outcome already is over when the host starts, and stays so", async () => {
    const store = keepTasks();
    await store.save(taskRecord("tk_over", {}));
    await store.save(taskRecord("tk_open", {}));
    const book = new TaskBook(store, (invocation) => invocation === "inv_tk_open");
    expect([...book.open()].map(({ record }) => record.id)).toEqual(["tk_open"]);
    expect([...store.records()].map(({ endedAt }) => endedAt === null)).toEqual([false, true]);
  });
});
