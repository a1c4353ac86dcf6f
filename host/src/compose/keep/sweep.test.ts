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

const start = ({ bench }: TestBench, report: (error: unknown) => void = fail) => {
  const { versions, drafts, changed } = bench;
  return startSweep({ versions, drafts, changed, days: () => 30, report });
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

  it("comes again each day, and after one that failed", async () => {
    const test = openBench();
    const sweep = vi.spyOn(test.bench.drafts, "sweep").mockRejectedValueOnce(new Error("disk"));
    const failures: unknown[] = [];
    const stop = start(test, (error) => failures.push(error));
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
