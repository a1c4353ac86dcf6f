import { describe, expect, it } from "vitest";
import type { ConversationQuery, Conversations } from "../../kernel/conversation.ts";
import { QUERY, question, refusalOf, STORES } from "./conversations-for-tests.ts";

const at = (minute: number): string => new Date(Date.now() + minute * 60_000).toISOString();

/** Titles in the order of the pages, and how many pages there were. */
const readAll = async (store: Conversations, query: Partial<ConversationQuery>): Promise<[string[], number]> => {
  const titles: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await store.list({ ...QUERY, ...query, cursor });
    titles.push(...page.conversations.map(({ title }) => title));
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== null);
  return [titles, pages];
};

const fill = async (store: Conversations, texts: readonly string[]): Promise<string[]> => {
  const ids: string[] = [];
  for (const [minute, text] of texts.entries()) {
    const { id } = await store.create();
    await (await store.open(id)).append(question(text, { ts: at(minute + 1) }));
    ids.push(id);
  }
  return ids;
};

describe.each(Object.entries(STORES))("the list of conversations %s", (_where, openStore) => {
  it("is empty where there is none", async () => {
    expect(await openStore().list(QUERY)).toEqual({ conversations: [], nextCursor: null, totalCount: 0 });
  });

  it("shows each once, newest first, page by page", async () => {
    const store = openStore();
    await fill(store, ["a", "b", "c", "d", "e", "f"]);
    expect(await readAll(store, { limit: 100 })).toEqual([["f", "e", "d", "c", "b", "a"], 1]);
    expect(await readAll(store, { limit: 2 })).toEqual([["f", "e", "d", "c", "b", "a"], 3]);
    expect((await store.list({ ...QUERY, limit: 2 })).totalCount).toBe(6);
  });

  it("moves what was written to last to the top, unless it is sorted by beginning", async () => {
    const store = openStore();
    const [first = ""] = await fill(store, ["a", "b"]);
    await (await store.open(first)).append(question("again", { ts: at(90) }));
    expect((await readAll(store, {}))[0]).toEqual(["a", "b"]);
    const begun = await store.list({ ...QUERY, sortBy: "createdAt" });
    const times = begun.conversations.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it("goes on behind a page although others came and went meanwhile", async () => {
    const store = openStore();
    const ids = await fill(store, ["a", "b", "c", "d"]);
    const first = await store.list({ ...QUERY, limit: 2 });
    await store.delete(ids[2] ?? "");
    const late = await store.create();
    await (await store.open(late.id)).append(question("new", { ts: at(500) }));
    const second = await store.list({ ...QUERY, limit: 2, cursor: first.nextCursor });
    expect(second.conversations.map(({ title }) => title)).toEqual(["b", "a"]);
  });

  it("shows all of one moment once too", async () => {
    const store = openStore();
    const ts = at(5);
    for (let n = 0; n < 7; n++) await (await store.open((await store.create()).id)).append(question(`${n}`, { ts }));
    const [titles, pages] = await readAll(store, { limit: 3 });
    expect([titles.toSorted(), pages]).toEqual([["0", "1", "2", "3", "4", "5", "6"], 3]);
  });

  it("finds by words of title, preview and id, in any case and order", async () => {
    const store = openStore();
    const [cafe = ""] = await fill(store, ["Rapport du Caf\u00e9", "reports of May", "other"]);
    await (await store.open(cafe)).append(question("the latest NEWS", { ts: at(9) }));
    const find = async (search: string): Promise<string[]> => (await readAll(store, { search }))[0];
    expect(await find("cafe\u0301 RAPPORT")).toEqual(["Rapport du Caf\u00e9"]);
    expect(await find("news")).toEqual(["Rapport du Caf\u00e9"]);
    expect(await find("  ")).toHaveLength(3);
    expect(await find("reports rapport")).toEqual([]);
    expect(await find(cafe)).toEqual(["Rapport du Caf\u00e9"]);
    expect(await find(".*")).toEqual([]);
    expect((await store.list({ ...QUERY, limit: 1, search: "r" })).totalCount).toBe(3);
  });

  it("finds by words of any message, wherever they stand", async () => {
    const store = openStore();
    const [first = "", second = ""] = await fill(store, ["Reports", "Weather"]);
    await (await store.open(first)).append(question("The Zugspitze was closed.", { role: "assistant", ts: at(1) }));
    await (await store.open(first)).append(question("thanks", { ts: at(2) }));
    await (await store.open(second)).append(question("Sunny.", { role: "assistant", ts: at(3) }));
    const find = async (search: string): Promise<string[]> => (await readAll(store, { search }))[0];
    expect(await find("zugspitze")).toEqual(["Reports"]);
    expect(await find("reports CLOSED thanks")).toEqual(["Reports"]);
    expect(await find("zugspitze sunny")).toEqual([]);
    expect(await store.list({ ...QUERY, search: "zugspitze" })).not.toHaveProperty("unsearched");
  });

  it("shows, counts and searches those alone that are there for who asks", async () => {
    const store = openStore();
    for (const by of ["person:ann", "person:bob", undefined]) {
      const open = await store.open((await store.create()).id);
      await open.append(question("Which are new?", { ts: at(1), ...(by && { by }) }));
    }
    await store.create();
    const seen: (readonly string[])[] = [];
    await store.list(QUERY, (authors) => seen.push(authors) > 0);
    expect(seen.map((each) => JSON.stringify(each)).toSorted()).toEqual([
      '[""]',
      '["person:ann"]',
      '["person:bob"]',
      "[]",
    ]);
    for (const search of [null, "new"]) {
      const page = await store.list({ ...QUERY, search }, (authors) => authors.join() === "person:ann");
      expect([page.conversations.length, page.totalCount]).toEqual([1, 1]);
      expect(JSON.stringify(page)).not.toContain("person:ann");
    }
  });

  it("refuses a cursor that is none of its own, and a page of no size", async () => {
    const store = openStore();
    await fill(store, ["a", "b"]);
    const { nextCursor } = await store.list({ ...QUERY, limit: 1 });
    const wrong: Partial<ConversationQuery>[] = [
      { cursor: "" },
      { cursor: "x".repeat(100_000) },
      { cursor: Buffer.from("updatedAt 2026 ../../etc/passwd").toString("base64url") },
      { cursor: nextCursor, sortBy: "createdAt" },
      { limit: 0 },
      { limit: 101 },
      { limit: 1.5 },
    ];
    for (const over of wrong) {
      expect(await refusalOf(store.list({ ...QUERY, ...over }))).toMatchObject({ kind: "bad_request" });
    }
  });
});
