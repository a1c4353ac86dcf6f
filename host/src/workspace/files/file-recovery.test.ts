import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { newFile, openStore, QUERY, temporaryDir } from "./files-for-tests.ts";
import { FileIndex } from "./file-index.ts";

const idOf = (digit: string): string => `fl_${digit.repeat(24)}`;

describe("what an interruption leaves over", () => {
  it("is removed at the next opening, and the whole files stay", async () => {
    const dir = temporaryDir();
    const data = join(dir, "files", "data");
    const first = openStore(dir);
    const kept = await first.create(newFile("kept.txt", "kept"));
    const removed = await first.create(newFile("removed.txt", "removed"));
    await first.close();

    const index = new FileIndex(join(dir, "files", "index.db"));
    // Ended while the bytes were written; after they were; after the row of a file was removed.
    index.announce(idOf("1"));
    writeFileSync(join(data, `${idOf("1")}.new`), "hal");
    index.announce(idOf("2"));
    writeFileSync(join(data, idOf("2")), "whole");
    index.announce(idOf("3"));
    index.remove(removed.id);
    index.close();
    expect(readdirSync(data)).toHaveLength(4);

    const store = openStore(dir);
    expect(store.info(idOf("2"))).toBeNull();
    expect(readdirSync(data)).toEqual([kept.id]);
    expect(store.list(QUERY)).toEqual({ files: [kept], total: 1 });
    expect((await store.read(kept.id))?.toString()).toBe("kept");
    await store.close();
    const db = new DatabaseSync(join(dir, "files", "index.db"));
    expect(db.prepare("SELECT * FROM loose").all()).toEqual([]);
    db.close();
  });

  it("is nothing when the store is closed while files are being written", async () => {
    const dir = temporaryDir();
    const first = openStore(dir);
    const whole = await first.create(newFile("whole.txt", "whole"));
    const cut = Array.from({ length: 8 }, (_, at) => first.create(newFile(`${at}.bin`, Buffer.alloc(2_000_000))));
    const closed = first.close();
    const ends = await Promise.allSettled(cut);
    await closed;
    expect(ends.map(({ status }) => status)).toEqual(Array.from(cut, () => "rejected"));
    const store = openStore(dir);
    expect(store.list(QUERY)).toEqual({ files: [whole], total: 1 });
    expect(readdirSync(join(dir, "files", "data"))).toEqual([whole.id]);
  });

  it("leaves room: a file that could not be written counts for nothing", async () => {
    const dir = temporaryDir();
    const store = openStore(dir, { maxFiles: 2 });
    await store.create(newFile("a.txt", "a"));
    const data = join(dir, "files", "data");
    rmSync(data, { recursive: true });
    await expect(store.create(newFile("b.txt", "b"))).rejects.toThrow(/ENOENT/);
    mkdirSync(data, { mode: 0o700 });
    await store.create(newFile("b.txt", "b"));
    expect(store.list(QUERY).total).toBe(2);
  });

  it("is never an entry without its bytes, though the host is killed at any moment", async () => {
    const dir = temporaryDir();
    const program = fileURLToPath(new URL("./write-until-killed-for-tests.ts", import.meta.url));
    for (const lines of [1, 4, 9]) {
      const child = spawn(process.execPath, [program, dir], { stdio: ["ignore", "pipe", "inherit"] });
      let seen = "";
      for await (const chunk of child.stdout) {
        seen += String(chunk);
        if (seen.split("\n").length > lines) break;
      }
      child.kill("SIGKILL");
      await once(child, "exit");
      const told = seen.split("\n").slice(0, -1);
      const store = openStore(dir);
      const files = store.all({});
      expect(told.filter((id) => store.info(id) === null)).toEqual([]);
      expect(readdirSync(join(dir, "files", "data")).toSorted()).toEqual(files.map(({ id }) => id).toSorted());
      for (const { id, sha256 } of files) {
        const bytes = readFileSync(join(dir, "files", "data", id));
        expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
      }
      await store.close();
    }
  });

  it("is refused with the way out when the index is of a later version", async () => {
    const dir = temporaryDir();
    const first = openStore(dir);
    const { id } = await first.create(newFile("a.txt", "a"));
    await first.close();
    const db = new DatabaseSync(join(dir, "files", "index.db"));
    db.exec("PRAGMA user_version = 99");
    db.close();
    expect(() => openStore(dir).info(id)).toThrow(/format 99.*update bailiwick/);
  });
});
