import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { HostError } from "../../kernel/host-error.ts";
import { FIND_FILE, FIND_TOTALS } from "./file-index.ts";
import { names, newFile, openStore, QUERY, temporaryDir } from "./files-for-tests.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const MISSING = `fl_${"0".repeat(24)}`;

describe("a new file", () => {
  it("is described by what it is and by nothing of where it lies", async () => {
    const store = openStore();
    const body = "Grüße\n";
    const rest = { tags: ["b", "a", "b"], description: "A greeting" };
    const file = await store.create(newFile("hello.md", body, rest));
    expect(file).toEqual({
      id: expect.stringMatching(/^fl_[0-9a-f]{24}$/),
      uri: `files://${file.id}`,
      filename: "hello.md",
      mimeType: "text/markdown",
      size: 8,
      sha256: createHash("sha256").update(body).digest("hex"),
      tags: ["b", "a"],
      description: "A greeting",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      createdBy: "person:ann",
    });
    expect(store.info(file.id)).toEqual(file);
    expect((await store.read(file.id))?.toString()).toBe(body);
  });

  it("is there after the store was closed and opened again", async () => {
    const dir = temporaryDir();
    const first = openStore(dir);
    const bytes = Buffer.alloc(3_000_000, "0123456789");
    const file = await first.create(newFile("big.bin", bytes));
    await first.close();
    const again = openStore(dir);
    expect(again.info(file.id)).toEqual(file);
    expect(await again.read(file.id)).toEqual(bytes);
    expect(file.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it("can be read by its owner only", async () => {
    const dir = join(temporaryDir(), "workspaces", "ws_a");
    const store = openStore(dir);
    const { id } = await store.create(newFile("a.txt", "a"));
    for (const folder of [dir, join(dir, "files"), join(dir, "files", "data")]) expect(modeOf(folder)).toBe("700");
    for (const name of ["index.db", "index.db-wal", `data/${id}`]) expect(modeOf(join(dir, "files", name))).toBe("600");
    expect(readFileSync(join(dir, "files", "data", id), "utf8")).toBe("a");
    expect(readdirSync(join(dir, "files", "data"))).toEqual([id]);
  });

  it("may be empty", async () => {
    const store = openStore();
    const file = await store.create(newFile("empty.txt"));
    expect(file.size).toBe(0);
    expect(await store.read(file.id)).toEqual(Buffer.alloc(0));
  });
});

describe("a workspace without files", () => {
  it("answers everything and makes nothing on disk", async () => {
    const dir = join(temporaryDir(), "ws");
    const store = openStore(dir);
    expect(store.info(MISSING)).toBeNull();
    expect(await store.read(MISSING)).toBeNull();
    expect(store.list(QUERY)).toEqual({ files: [], total: 0 });
    expect(store.all({})).toEqual([]);
    expect(await store.search({ query: "x", limit: 5 })).toEqual({ files: [], total: 0 });
    expect(await store.tag(MISSING, { add: ["a"], remove: [] })).toBeNull();
    expect(await store.remove(MISSING)).toBe(false);
    await expect(store.create(newFile("../x", "x"))).rejects.toThrow(/filename/);
    expect(existsSync(dir)).toBe(false);
  });
});

describe("an id", () => {
  it.each([
    "",
    "fl_",
    "../index.db",
    "fl_../../index.db",
    `fl_${"0".repeat(23)}`,
    `fl_${"0".repeat(25)}`,
    `fl_${"A".repeat(24)}`,
    `fl_${"0".repeat(24)}\n`,
    `files://fl_${"0".repeat(24)}`,
    "fl_lz4k2p9x_../../a",
    "fl__0011aabb",
    "' OR 1=1 --",
    "x".repeat(1_000_000),
  ])("of no file finds nothing: %.40j", async (id) => {
    const store = openStore();
    await store.create(newFile("a.txt", "a"));
    expect(store.info(id)).toBeNull();
    expect(await store.read(id)).toBeNull();
    expect(await store.tag(id, { add: ["t"], remove: [] })).toBeNull();
    expect(await store.remove(id)).toBe(false);
    expect(store.list(QUERY).total).toBe(1);
  });

  it("of the older shape finds its file", async () => {
    const dir = temporaryDir();
    const first = openStore(dir);
    const { id } = await first.create(newFile("old.txt", "old"));
    await first.close();
    const old = "fl_lz4k2p9x_0011aabb";
    const db = new DatabaseSync(join(dir, "files", "index.db"));
    db.prepare("UPDATE file SET id = ? WHERE id = ?").run(old, id);
    db.close();
    renameSync(join(dir, "files", "data", id), join(dir, "files", "data", old));
    const store = openStore(dir);
    expect(store.info(old)).toMatchObject({ id: old, uri: `files://${old}`, filename: "old.txt" });
    expect((await store.read(old))?.toString()).toBe("old");
    expect(await store.remove(old)).toBe(true);
    expect(readdirSync(join(dir, "files", "data"))).toEqual([]);
  });

  it("is found in one step of an index among 10,000 files", async () => {
    const dir = temporaryDir();
    const first = openStore(dir, { maxFiles: 20_000 });
    const file = await first.create(newFile("first.txt", "1"));
    await first.close();
    const db = new DatabaseSync(join(dir, "files", "index.db"));
    db.exec(`BEGIN; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO file (id, filename, mime, type, size, sha256, tags, created_at, created_by, has_text)
      SELECT format('fl_%024x', i), 'f' || i, 'text/plain', 'text/plain', 1, '', '["t"]', '2020-01-01T00:00:00.000Z', 'p', 0
      FROM n; COMMIT`);
    const plan = (sql: string, ...values: string[]) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    expect(plan(FIND_FILE, "x").map((step) => step["detail"])).toEqual([
      expect.stringMatching(/^SEARCH file USING INDEX \S+ \(id=\?\)$/),
    ]);
    expect(plan(FIND_TOTALS).map((step) => step["detail"])).toEqual([
      "SEARCH total USING INTEGER PRIMARY KEY (rowid=?)",
    ]);
    db.close();
    const store = openStore(dir, { maxFiles: 20_000 });
    expect(store.info(file.id)).toEqual(file);
    expect(store.list({ ...QUERY, limit: 1 })).toMatchObject({ total: 10_001 });
    expect(store.all({ tags: ["t"] })).toHaveLength(10_000);
  });
});

describe("bytes that are not what they were", () => {
  it("are not given out, and the file can still be removed", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    const cut = await store.create(newFile("a.txt", "abc"));
    const gone = await store.create(newFile("b.txt", "abc"));
    truncateSync(join(dir, "files", "data", cut.id), 1);
    rmSync(join(dir, "files", "data", gone.id));
    expect(await store.read(cut.id)).toBeNull();
    expect(await store.read(gone.id)).toBeNull();
    expect(await store.remove(cut.id)).toBe(true);
    expect(await store.remove(gone.id)).toBe(true);
    expect(store.list(QUERY)).toEqual({ files: [], total: 0 });
  });
});

describe("a removed file", () => {
  it("is gone from the index, the lists, the search and the disk", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    const kept = await store.create(newFile("kept.txt", "needle", { tags: ["t"] }));
    const file = await store.create(newFile("gone.txt", "needle", { tags: ["t"] }));
    expect(await store.remove(file.id)).toBe(true);
    expect(await store.remove(file.id)).toBe(false);
    expect(store.info(file.id)).toBeNull();
    expect(await store.read(file.id)).toBeNull();
    expect(store.list({ ...QUERY, tags: ["t"] })).toEqual({ files: [kept], total: 1 });
    expect(names((await store.search({ query: "needle", limit: 5 })).files)).toEqual(["kept.txt"]);
    expect(readdirSync(join(dir, "files", "data"))).toEqual([kept.id]);
  });
});

describe("the next file after a removed one", () => {
  it("inherits nothing of it", async () => {
    const store = openStore();
    const { id } = await store.create(newFile("gone.txt", "needle", { tags: ["haystack"] }));
    await store.remove(id);
    await store.create(newFile("new.txt", "thread"));
    for (const query of ["needle", "gone", "haystack"])
      expect(await store.search({ query, limit: 5 })).toEqual({ files: [], total: 0 });
    expect(store.list({ ...QUERY, tags: ["haystack"] }).total).toBe(0);
    expect((await store.search({ query: "thread", limit: 5 })).total).toBe(1);
  });
});

describe("a closed store", () => {
  it("says so instead of opening again", async () => {
    const store = openStore();
    const { id } = await store.create(newFile("a.txt", "a"));
    await store.close();
    await store.close();
    expect(() => store.info(id)).toThrow(HostError);
    await expect(store.create(newFile("b.txt", "b"))).rejects.toThrow(HostError);
  });
});
