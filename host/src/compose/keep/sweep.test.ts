import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { contentConfig } from "../configs/configs-for-tests.ts";
import { newVersion } from "../storage/storage-for-tests.ts";
import { openBench, type TestBench } from "./bench-for-tests.ts";
import { startSweep } from "./sweep.ts";

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const fail = (error: unknown): never => expect.unreachable(String(error));

interface Ends {
  readonly report?: (error: unknown) => void;
  readonly record?: (type: string, data: object) => Promise<void>;
}

const start = ({ bench }: TestBench, { report = fail, record = async () => {} }: Ends = {}) => {
  const { versions, drafts, changed } = bench;
  return startSweep({ versions, drafts, changed, days: () => 30, record, report });
};

describe("the sweep", () => {
  it("comes a minute after the start: old versions and drafts go, the latest stay", async () => {
    const test = openBench();
    const { versions, drafts } = test.bench;
    const { draft_id: id } = await drafts.create({ config_type: "content", config_data: contentConfig() });
    for (const each of ["a", "a", "b", id]) await versions.add(newVersion(each, "text"));
    test.clock.pass(31);
    await versions.add(newVersion("c", "young"));
    await versions.add(newVersion("c", "younger"));
    const stop = start(test);
    vi.advanceTimersByTime(59_000);
    await stop();
    expect(await versions.versionsOf("a")).toHaveLength(2);
    const stopAgain = start(test);
    vi.advanceTimersByTime(60_000);
    await stopAgain();
    const counts = await Promise.all(["a", "b", "c", id].map(async (each) => (await versions.versionsOf(each)).length));
    expect(counts).toEqual([1, 1, 2, 0]);
    expect(await drafts.find(id)).toBeNull();
    expect(test.changed).toEqual(["content://a"]);
  });

  it("is on record before anything goes", async () => {
    const test = openBench();
    const { versions, drafts } = test.bench;
    const { draft_id: id } = await drafts.create({ config_type: "content", config_data: contentConfig() });
    const made = [];
    for (const each of ["a", "a", "a", "b", id]) made.push((await versions.add(newVersion(each, "text"))).version_id);
    await versions.remove("b", { keepMeta: true });
    test.clock.pass(31);
    const records: unknown[] = [];
    const stop = start(test, {
      record: async (type, data) => {
        const left = (await versions.versionsOf("a")).length;
        records.push({ type, ...data, left });
      },
    });
    vi.advanceTimersByTime(60_000);
    await stop();
    expect(records).toHaveLength(4);
    expect(records).toEqual(
      expect.arrayContaining([
        { type: "drafts_swept", draft_ids: [id], left: 3 },
        { type: "content_swept", content_id: "a", version_ids: made.slice(0, 2), left: 3 },
        {
          type: "content_swept",
          content_id: "b",
          version_ids: [made[3]],
          metadata_only: true,
          left: expect.any(Number),
        },
        { type: "content_swept", content_id: id, version_ids: [made[4]], left: expect.any(Number) },
      ]),
    );
    expect(await versions.versionsOf("a")).toHaveLength(1);
  });

  it("is told in several records where much goes", async () => {
    const test = openBench();
    for (let at = 0; at < 502; at++) await test.bench.versions.add(newVersion("a", "x"));
    test.clock.pass(31);
    const counts: number[] = [];
    const stop = start(test, {
      record: async (_, data) => void counts.push((data as { version_ids: string[] }).version_ids.length),
    });
    vi.advanceTimersByTime(60_000);
    await stop();
    expect(counts).toEqual([500, 1]);
  });

  it.each(["drafts_swept", "content_swept"])("removes nothing where %s cannot be recorded", async (refused) => {
    const test = openBench();
    const { versions, drafts } = test.bench;
    const { draft_id: id } = await drafts.create({ config_type: "content", config_data: contentConfig() });
    for (const each of ["a", "a"]) await versions.add(newVersion(each, "text"));
    test.clock.pass(31);
    const failures: unknown[] = [];
    const stop = start(test, {
      report: (error) => failures.push(error),
      record: async (type) => {
        if (type === refused) throw new Error("the disk is full");
      },
    });
    vi.advanceTimersByTime(60_000);
    await stop();
    expect(failures).toEqual([new Error("the disk is full")]);
    expect(await versions.versionsOf("a")).toHaveLength(2);
    expect(existsSync(drafts.pathOf(id))).toBe(refused === "drafts_swept");
  });

  it("comes again each day, and after one that failed", async () => {
    const test = openBench();
    const sweep = vi.spyOn(test.bench.drafts, "sweep").mockRejectedValueOnce(new Error("disk"));
    const failures: unknown[] = [];
    const stop = start(test, { report: (error) => failures.push(error) });
    vi.advanceTimersByTime(60_000);
    await vi.waitFor(() => expect(failures).toHaveLength(1));
    for (const times of [2, 3]) {
      await test.bench.versions.add(newVersion("a", "text"));
      await test.bench.versions.add(newVersion("a", "text"));
      test.clock.pass(31);
      vi.advanceTimersByTime(DAY_MS);
      await vi.waitFor(async () => expect(await test.bench.versions.versionsOf("a")).toHaveLength(1));
      expect(sweep).toHaveBeenCalledTimes(times);
    }
    await stop();
    vi.advanceTimersByTime(10 * DAY_MS);
    expect(sweep).toHaveBeenCalledTimes(3);
  });
});
