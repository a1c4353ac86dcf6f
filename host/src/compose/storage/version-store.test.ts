import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDraftId } from "../configs/config-id.ts";
import { newVersion, openStore, temporaryDir, TestClock } from "./storage-for-tests.ts";
import { untold } from "./tell-swept.ts";
import { reusableVersion } from "./reusable-version.ts";
import { digestOf } from "./stored-version.ts";
import { tellCleaned } from "./tell-cleaned.ts";

const RETENTION = { keep_versions: 1, keep_days: 0, keep_latest: true };

describe("a stored text", () => {
  it("lies in its content's folder under its time, with what is known of it beside", async () => {
    const dir = temporaryDir();
    const version = await openStore(dir).add(newVersion("letter", "Dear Ann\n", { reason: "first" }));
    expect(readdirSync(join(dir, "letter")).toSorted()).toEqual([
      "2026-01-01T00-01-00-000Z.markdown",
      "2026-01-01T00-01-00-000Z.meta.json",
    ]);
    const meta: unknown = JSON.parse(readFileSync(join(dir, "letter", "2026-01-01T00-01-00-000Z.meta.json"), "utf8"));
    expect(meta).toEqual(version);
    expect(version).toEqual({
      content_id: "letter",
      version_id: "2026-01-01T00:01:00.000Z",
      timestamp: "2026-01-01T00:01:00.000Z",
      format: "markdown",
      size_bytes: 9,
      content_hash: expect.stringMatching(/^[0-9a-f]{12}$/),
      generator: "template_fill",
      generator_version: "1.0.0",
      config_digest: "sha256:c",
      context_digest: "sha256:x",
      context_variables: ["a"],
      approved: false,
      reason: "first",
    });
  });

  it("may have the longest of ids", async () => {
    const store = openStore(temporaryDir());
    const version = await store.add(newVersion("a".repeat(255), "x"));
    expect(await store.readText(version)).toBe("x");
  });

  it("is there after a restart, in the same order", async () => {
    const dir = temporaryDir();
    const clock = new TestClock();
    const store = openStore(dir, clock);
    for (const text of ["a", "b", "c"]) await store.add(newVersion("letter", text));
    const again = openStore(dir, clock);
    const versions = await again.versionsOf("letter");
    expect(versions).toEqual(await store.versionsOf("letter"));
    expect(await Promise.all(versions.map((version) => again.readText(version)))).toEqual(["a", "b", "c"]);
  });

  it("never takes another's place, however many come at one moment", async () => {
    const dir = temporaryDir();
    const at = new Date("2026-05-05T05:05:05.005Z");
    const clock = Object.assign(new TestClock(), { now: () => at });
    const store = openStore(dir, clock);
    await Promise.all(Array.from({ length: 12 }, (_, i) => store.add(newVersion("letter", `${i}`))));
    const versions = await openStore(dir, clock).versionsOf("letter");
    const ids = versions.map(({ version_id: id }) => id);
    expect(ids).toEqual(Array.from({ length: 12 }, (_, i) => `${at.toISOString()}${i === 0 ? "" : `-${i + 1}`}`));
    const texts = await Promise.all(versions.map((version) => store.readText(version)));
    expect(texts).toEqual(Array.from({ length: 12 }, (_, i) => `${i}`));
  });

  it("that was written last is the latest, though the clock went back", async () => {
    const clock = new TestClock();
    const store = openStore(temporaryDir(), clock);
    await store.add(newVersion("letter", "old"));
    clock.set("2025-01-01T00:00:00.000Z");
    await store.add(newVersion("letter", "new"));
    const latest = (await store.versionsOf("letter")).at(-1)!;
    expect(await store.readText(latest)).toBe("new");
    expect(latest).toMatchObject({
      version_id: "2026-01-01T00:01:00.000Z-2",
      timestamp: "2025-01-01T00:00:00.000Z",
    });
  });

  it("is given again only for what it was made of", async () => {
    const store = openStore(temporaryDir());
    const made = {
      generator: "g",
      generator_version: "1",
      config_digest: "c",
      context_digest: digestOf({ a: 1, b: 2 }),
    };
    const version = await store.add(newVersion("letter", "x", made));
    expect(reusableVersion([version], { ...made, context_digest: digestOf({ b: 2, a: 1 }) })).toBe(version);
    for (const name of Object.keys(made)) expect(reusableVersion([version], { ...made, [name]: "other" })).toBeNull();
    expect(reusableVersion([], made)).toBeNull();
    // What came after it is what assembly would take.
    const later = await store.add(newVersion("letter", "y", { ...made, context_digest: "other" }));
    expect(reusableVersion([version, later], made)).toBeNull();
    expect(digestOf({ a: 1 })).not.toBe(digestOf({ a: "1" }));
  });

  it.each(["..", "../letter", "a/b", "", "Letter", "a\0", "a".repeat(256)])(
    "is nowhere else: %j is no id",
    async (id) => {
      const store = openStore(temporaryDir());
      const refused = expect.objectContaining({ code: "invalid_config_id" });
      await expect(store.versionsOf(id)).rejects.toThrow(refused);
      await expect(store.add(newVersion(id, "x"))).rejects.toThrow(refused);
      await expect(store.remove(id, { keepMeta: false })).rejects.toThrow(refused);
      const wish = { retention: RETENTION, olderThanDays: 0, contentIds: [id], dryRun: false };
      await expect(store.cleanup(wish)).rejects.toThrow(refused);
    },
  );

  it("that was planted counts for nothing", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    await store.add(newVersion("letter", "x"));
    const folder = join(dir, "letter");
    const [text = "", meta = ""] = readdirSync(folder).toSorted();
    const row = JSON.parse(readFileSync(join(folder, meta), "utf8")) as object;
    const plant = (name: string, over: object): void =>
      writeFileSync(join(folder, name), JSON.stringify({ ...row, ...over }));
    plant("2026-01-02T00-00-00-000Z.meta.json", { version_id: "../../x", format: "../x" });
    plant("2026-01-03T00-00-00-000Z.meta.json", { version_id: "2026-01-03T00:00:00.000Z", format: "../../etc" });
    plant("2026-01-04T00-00-00-000Z.meta.json", { version_id: "2026-01-04T00:00:00.000Z", content_id: "other" });
    writeFileSync(join(folder, "2026-01-05T00-00-00-000Z.meta.json"), "{");
    symlinkSync(join(folder, meta), join(folder, "2026-01-06T00-00-00-000Z.meta.json"));
    writeFileSync(join(folder, "2026-01-01T00-01-00-000Z-2.markdown"), "alone");
    expect(text).toMatch(/markdown$/);
    expect(await openStore(dir).versionsOf("letter")).toEqual(await store.versionsOf("letter"));
  });
});

describe("deleting", () => {
  it("removes the folder, or leaves what is known", async () => {
    const dir = temporaryDir();
    const clock = new TestClock();
    const store = openStore(dir, clock);
    for (const id of ["a", "b"]) await store.add(newVersion(id, id));
    const [kept] = await store.remove("b", { keepMeta: true });
    expect(await store.remove("a", { keepMeta: false })).toHaveLength(1);
    expect(readdirSync(dir)).toEqual(["b"]);
    expect(readdirSync(join(dir, "b"))).toEqual([expect.stringMatching(/meta\.json$/)]);
    for (const each of [store, openStore(dir, clock)]) {
      expect(await each.contentIds()).toEqual([]);
      expect(await each.versionsOf("b")).toEqual([]);
      expect(await each.remove("b", { keepMeta: false })).toEqual([]);
    }
    expect(await store.readText(kept!)).toBeNull();
  });

  it("by rules tells what went, and a trial run nothing but that", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    const draft = makeDraftId(new Date());
    for (const id of ["a", "a", "a", "b", draft, draft]) await store.add(newVersion(id, "1234"));
    const wish = { retention: RETENTION, olderThanDays: 0, contentIds: null };
    const trial = await store.cleanup({ ...wish, dryRun: true });
    expect(await store.versionsOf("a")).toHaveLength(3);
    const done = await store.cleanup({ ...wish, dryRun: false });
    expect(done).toEqual(trial);
    expect(done).toMatchObject({ checked: 2, cleaned: [{ content_id: "a" }] });
    expect(tellCleaned(done.checked, done.cleaned)).toEqual({
      total_content_checked: 2,
      total_versions_deleted: 2,
      bytes_freed: 8,
      content_cleaned: [
        {
          content_id: "a",
          versions_before: 3,
          versions_deleted: 2,
          versions_after: 1,
          bytes_freed: 8,
          oldest_kept: "2026-01-01T00:03:00.000Z",
          latest_kept: "2026-01-01T00:03:00.000Z",
        },
      ],
    });
    for (const each of [store, openStore(dir)]) {
      expect(await each.versionsOf("a")).toHaveLength(1);
      // Drafts are no content.
      expect(await each.versionsOf(draft)).toHaveLength(2);
      expect(await each.contentIds()).toEqual(["a", "b"]);
    }
  });

  it("once a day goes by age alone, and takes what interruptions left", async () => {
    const dir = temporaryDir();
    const clock = new TestClock();
    const store = openStore(dir, clock);
    const [gone, there] = [makeDraftId(new Date()), makeDraftId(new Date())];
    for (const id of ["a", "a", "b", "c", gone, there]) await store.add(newVersion(id, "x"));
    await store.remove("c", { keepMeta: true });
    const left = ["2026-01-01T00-00-00-000Z.markdown", ".x.new"].map((name) => join(dir, "a", name));
    for (const path of left) {
      writeFileSync(path, "half");
      utimesSync(path, 0, 0);
    }
    clock.pass(40);
    await store.add(newVersion("b", "y"));
    await store.sweep({ days: 30, hasDraft: (id) => Promise.resolve(id === there), tell: untold });
    expect(await store.contentIds()).toEqual(["a", "b"]);
    expect((await store.versionsOf("a")).length).toBe(1);
    expect((await store.versionsOf("b")).length).toBe(1);
    expect(readdirSync(dir).toSorted()).toEqual(["a", "b", there].toSorted());
    expect(left.filter((path) => existsSync(path))).toEqual([]);
  });

  it("counts what is stored and names the first of it, whatever came and went", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    const draft = makeDraftId(new Date());
    for (const id of ["c", "a", "b", "b", draft]) await store.add(newVersion(id, "four"));
    for (const each of [store, openStore(dir)]) {
      expect(await each.firstIds(2)).toEqual(["a", "b"]);
      expect(await each.totals()).toEqual({ content_count: 3, version_count: 4, total_bytes: 16 });
      expect(await each.firstIds(2)).toEqual(["a", "b"]);
    }
    await store.remove("a", { keepMeta: false });
    await store.remove("c", { keepMeta: true });
    for (const each of [store, openStore(dir)]) {
      expect(await each.firstIds(2)).toEqual(["b"]);
      expect(await each.contentIds()).toEqual(["b"]);
      expect(await each.totals()).toEqual({ content_count: 1, version_count: 2, total_bytes: 8 });
    }
    await store.add(newVersion("a", "four"));
    await store.add(newVersion("c", "four"));
    expect(await store.contentIds()).toEqual(["a", "b", "c"]);
    expect(await store.contentIds()).toBe(await store.contentIds());
    expect(await store.totals()).toEqual({ content_count: 3, version_count: 4, total_bytes: 16 });
  });

  it("leaves alone what is no content", async () => {
    const dir = temporaryDir();
    mkdirSync(join(dir, "Not-Ours"));
    writeFileSync(join(dir, "Not-Ours", "x"), "x");
    const store = openStore(dir);
    await store.sweep({ days: 0, hasDraft: () => Promise.resolve(false), tell: untold });
    expect(await store.contentIds()).toEqual([]);
    expect(existsSync(join(dir, "Not-Ours", "x"))).toBe(true);
  });
});
