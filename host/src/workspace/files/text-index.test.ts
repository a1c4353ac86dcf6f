import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FileStore } from "../../kernel/files.ts";
import { FileIndex } from "./file-index.ts";
import { LIMITS, names, newFile, openStore, refusalOf, temporaryDir } from "./files-for-tests.ts";
import { openFileStore } from "./open-file-store.ts";
import { TextDesk } from "./text-desk.ts";
import { TextIndex } from "./text-index.ts";

const LIMIT = { limit: 100 };

const search = async (store: FileStore, query: string): Promise<string[]> =>
  names((await store.search({ query, ...LIMIT })).files).toSorted();

/** How many texts are known of the workspace in `dir`; its store is closed. */
const textsKept = (dir: string): number => {
  const db = new DatabaseSync(join(dir, "files", "text.db"));
  try {
    return (db.prepare("SELECT count(*) AS n FROM kept").get() as { n: number }).n;
  } finally {
    db.close();
  }
};

const filled = async (dir: string): Promise<void> => {
  const store = openStore(dir);
  for (const name of ["a.txt", "b.txt", "c.bin"]) await store.create(newFile(name, `needle in ${name}`));
  await search(store, "needle");
  await store.close();
};

const textIn = (dir: string): TextIndex => {
  const text = new TextIndex(join(dir, "files"));
  onTestFinished(() => text.close());
  return text;
};

describe("the text of a file", () => {
  it("that is deleted is known nowhere any more, and nothing of it goes over to the next file", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    const { id } = await store.create(newFile("old.txt", "needle"));
    expect(await search(store, "needle")).toEqual(["old.txt"]);
    await store.remove(id);
    await store.create(newFile("new.bin", Buffer.from([0])));
    expect(await search(store, "needle")).toEqual([]);
    await store.close();
    expect(textsKept(dir)).toBe(0);
  });

  it("that was deleted when the host ended is forgotten at the next search", async () => {
    const dir = temporaryDir();
    await filled(dir);
    const index = new FileIndex(join(dir, "files", "index.db"));
    const [first] = index.all({});
    index.remove(first?.id ?? "");
    index.close();
    expect(textsKept(dir)).toBe(3);
    const store = openStore(dir);
    expect(await search(store, "needle")).toEqual(["b.txt", "c.bin"]);
    await store.close();
    expect(textsKept(dir)).toBe(2);
  });

  it.each([
    ["was not taken in when the host ended", "DELETE FROM content; DELETE FROM kept; UPDATE progress SET seq = 0"],
    ["is of another index", "UPDATE progress SET seq = 1000"],
    ["is in tables of another kind", "DROP TABLE progress; CREATE TABLE progress (other TEXT)"],
  ])("that %s is found at the next search all the same", async (_, damage) => {
    const dir = temporaryDir();
    await filled(dir);
    const db = new DatabaseSync(join(dir, "files", "text.db"));
    db.exec(damage);
    db.close();
    expect(await search(openStore(dir), "needle")).toEqual(["a.txt", "b.txt", "c.bin"]);
  });

  it.each([
    ["is lost", (file: string) => rmSync(file)],
    ["is rubbish", (file: string) => writeFileSync(file, "rubbish".repeat(1000))],
  ])("is found though what is known of it %s", async (_, damage) => {
    const dir = temporaryDir();
    await filled(dir);
    damage(join(dir, "files", "text.db"));
    expect(await search(openStore(dir), "needle")).toEqual(["a.txt", "b.txt", "c.bin"]);
  });

  it("whose bytes are gone does not keep the others from being found", async () => {
    const dir = temporaryDir();
    await filled(dir);
    rmSync(join(dir, "files", "text.db"));
    const data = join(dir, "files", "data");
    rmSync(join(data, readdirSync(data)[0] ?? ""));
    expect(await search(openStore(dir), "needle")).toHaveLength(2);
  });
});

describe("a search", () => {
  it("leaves the host free to do other things meanwhile", async () => {
    const store = openStore();
    await store.create(newFile("a.txt", "needle"));
    let [turns, over] = [0, false];
    const turn = (): void => {
      turns++;
      if (!over) setImmediate(turn);
    };
    setImmediate(turn);
    await search(store, "needle");
    over = true;
    expect(turns).toBeGreaterThan(0);
  });

  it("that has no time left is ended in the middle", async () => {
    const dir = temporaryDir();
    await filled(dir);
    const text = textIn(dir);
    const order = { folder: "", terms: ['"needle"'], filter: LIMIT };
    expect(text.search({ ...order, until: Date.now() + 60_000 })?.total).toBe(3);
    expect(text.search({ ...order, until: Date.now() })).toBeNull();
  });

  it("that comes too late for its thread is refused with the way to narrow it", async () => {
    const dir = temporaryDir();
    await filled(dir);
    const realNow = Date.now;
    onTestFinished(() => void (Date.now = realNow));
    // Asked long ago, as one that has waited behind others was.
    Date.now = () => realNow() - 60_000;
    const no = await refusalOf(() => search(openStore(dir), "needle"));
    expect([no.kind, no.next]).toEqual(["timed_out", expect.stringContaining("fewer or longer words")]);
  });

  it("starts a thread anew when the one before has ended", async () => {
    const text = new TextDesk();
    const store = openFileStore({ dir: temporaryDir(), limits: LIMITS, text });
    await store.create(newFile("a.txt", "needle"));
    await text.end();
    expect(await search(store, "needle")).toEqual(["a.txt"]);
    await store.close();
    await text.end();
    await text.end();
  });

  it("finds all of many files whose text was taken in piece by piece", async () => {
    const dir = temporaryDir();
    await filled(dir);
    const index = new FileIndex(join(dir, "files", "index.db"));
    const [first] = index.all({});
    for (let at = 0; at < 100; at++) {
      const id = `fl_${at.toString(16).padStart(24, "0")}`;
      writeFileSync(join(dir, "files", "data", id), `needle ${at}`);
      index.add({ ...first!, id, filename: `${at}.txt` }, true);
    }
    index.close();
    const text = textIn(dir);
    let pieces = 0;
    while (text.advance(Date.now() + 60_000)) pieces++;
    expect(pieces).toBeGreaterThan(1);
    const found = text.search({ folder: "", terms: ['"needle"'], filter: LIMIT, until: Date.now() + 60_000 });
    expect([found?.total, found?.ids.length]).toEqual([103, 100]);
  });
});
