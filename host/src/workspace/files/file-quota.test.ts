import fc from "fast-check";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Refusal } from "../../kernel/refusal.ts";
import { LIMITS, newFile, openStore, QUERY, refusalOf, temporaryDir, TEXT } from "./files-for-tests.ts";
import { openFileStore } from "./open-file-store.ts";

describe("a quota", () => {
  it("of the size of a file is exact, and its refusal says what to raise", async () => {
    const dir = join(temporaryDir(), "ws");
    const store = openStore(dir, { maxFileSize: 10 });
    const no = await refusalOf(() => store.create(newFile("a.txt", "x".repeat(11))));
    expect(no.kind).toBe("quota_exceeded");
    expect(no.details).toEqual({ quota: "maxFileSize", limit: 10, used: 11 });
    expect(no.next).toContain("files.maxFileSize in bailiwick.json");
    expect(existsSync(dir)).toBe(false);
    await store.create(newFile("a.txt", "x".repeat(10)));
  });

  it("of the size of a workspace counts what is there, and deleting makes room", async () => {
    const store = openStore(temporaryDir(), { maxWorkspaceSize: 10 });
    const first = await store.create(newFile("a.txt", "x".repeat(6)));
    await store.create(newFile("b.txt", "x".repeat(4)));
    const no = await refusalOf(() => store.create(newFile("c.txt", "x")));
    expect(no.details).toEqual({ quota: "maxWorkspaceSize", limit: 10, used: 10 });
    expect(no.next).toMatch(/files__delete.*files\.maxWorkspaceSize in bailiwick\.json/);
    await store.create(newFile("empty.txt", ""));
    await store.remove(first.id);
    await store.create(newFile("c.txt", "x".repeat(6)));
    expect(store.list(QUERY).total).toBe(3);
  });

  it("of the number of files is exact", async () => {
    const store = openStore(temporaryDir(), { maxFiles: 2 });
    await store.create(newFile("a.txt", "a"));
    await store.create(newFile("b.txt", "b"));
    const no = await refusalOf(() => store.create(newFile("c.txt", "c")));
    expect(no.details).toEqual({ quota: "maxFiles", limit: 2, used: 2 });
    expect(no.next).toMatch(/files__delete.*files\.maxFiles in bailiwick\.json/);
  });

  it("follows the configuration while the store is open", async () => {
    const limits = { ...LIMITS, maxFiles: 1 };
    const store = openFileStore({ dir: temporaryDir(), limits, text: TEXT });
    await store.create(newFile("a.txt", "a"));
    await refusalOf(() => store.create(newFile("b.txt", "b")));
    limits.maxFiles = 2;
    await store.create(newFile("b.txt", "b"));
    expect(store.list(QUERY).total).toBe(2);
    await store.close();
  });

  it("holds however many are created and removed at once", async () => {
    const step = fc.record({ size: fc.integer({ min: 0, max: 60 }), removes: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
        async (rounds) => {
          const dir = mkdtempSync(join(tmpdir(), "bailiwick-files-"));
          const limits = { maxFileSize: 50, maxWorkspaceSize: 150, maxFiles: 6 };
          const store = openFileStore({ dir, limits, text: TEXT });
          try {
            for (const steps of rounds) {
              const there = store.all({});
              const work = steps.map(async ({ size, removes }, at) => {
                if (removes) return store.remove(there[at]?.id ?? "");
                return store.create(newFile("f.bin", new Uint8Array(size)));
              });
              for (const end of await Promise.allSettled(work))
                if (end.status === "rejected") expect((end.reason as Refusal).kind).toBe("quota_exceeded");
              const files = store.all({});
              const bytes = files.reduce((sum, { size }) => sum + size, 0);
              expect(files.length).toBeLessThanOrEqual(limits.maxFiles);
              expect(bytes).toBeLessThanOrEqual(limits.maxWorkspaceSize);
              expect(store.list(QUERY).total).toBe(files.length);
              const data = join(dir, "files", "data");
              const onDisk = existsSync(data) ? readdirSync(data) : [];
              expect(onDisk.toSorted()).toEqual(files.map(({ id }) => id).toSorted());
              expect(onDisk.reduce((sum, name) => sum + statSync(join(data, name)).size, 0)).toBe(bytes);
              // Nothing stays reserved: what fits by the index is taken.
              if (files.length < limits.maxFiles && bytes + 50 <= limits.maxWorkspaceSize) {
                const { id } = await store.create(newFile("fits.bin", new Uint8Array(50)));
                await store.remove(id);
              }
            }
          } finally {
            await store.close();
            rmSync(dir, { recursive: true, force: true });
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});
