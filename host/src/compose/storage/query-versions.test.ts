import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readStrategy } from "./pick-versions.ts";
import { planCleanup, readRetention, type Retention } from "./plan-cleanup.ts";
import { queryVersions, type VersionQuery } from "./query-versions.ts";
import { newVersion, openStore, storedVersion, temporaryDir } from "./storage-for-tests.ts";
import type { VersionStore } from "./version-store.ts";

const dayOf = ({ timestamp }: { timestamp: string }): number => Number(timestamp.slice(8, 10));

describe("a strategy", () => {
  const versions = [1, 2, 3, 13].map((day) => storedVersion("a", day, { approved: day === 2 }));
  it.each([
    ["latest", [13]],
    ["all", [1, 2, 3, 13]],
    ["approved_only", [2]],
    ["version:2026-01-03T12:00:00.000Z", [3]],
    ["version:2026-01-03", []],
    ["timestamp:2026-01-0", [3]],
    ["timestamp:2027", []],
  ])("%s picks the days %j", (strategy, days) => {
    expect(readStrategy(strategy)(versions).map(dayOf)).toEqual(days);
    expect(readStrategy(strategy)([])).toEqual([]);
  });

  it.each(["", "newest", "version:", "version", "toString", "__proto__", "Latest"])("is not %j", (strategy) => {
    expect(() => readStrategy(strategy)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });
});

describe("cleaning up", () => {
  const versions = [1, 5, 9, 13].map((day) => storedVersion("a", day));
  const now = new Date("2026-01-14T12:00:00.000Z");
  it.each<[Partial<Retention>, number, number[]]>([
    [{}, 0, [1]],
    [{ keep_versions: 1, keep_days: 0 }, 0, [1, 5, 9]],
    [{ keep_versions: 0, keep_days: 0 }, 0, [1, 5, 9]],
    [{ keep_versions: 0, keep_days: 0, keep_latest: false }, 0, [1, 5, 9, 13]],
    [{ keep_versions: 0, keep_days: 6 }, 0, [1, 5]],
    [{ keep_versions: 0, keep_days: 0 }, 6, [1, 5]],
    [{ keep_versions: 9 }, 0, []],
  ])("by %j, older than %j days, takes the days %j", (given, olderThanDays, days) => {
    const retention = readRetention(given, olderThanDays);
    expect(planCleanup(versions, { retention, olderThanDays, now }).map(dayOf)).toEqual(days);
  });

  it.each<[Partial<Retention>, number]>([
    [{ keep_versions: -1 }, 0],
    [{ keep_days: -0.5 }, 0],
    [{}, -1],
    [{ keep_days: Number.NaN }, 0],
  ])("by %j and %j is refused", (given, days) => {
    expect(() => readRetention(given, days)).toThrow(expect.objectContaining({ code: "invalid_retention" }));
  });

  it("never takes the latest nor the newest ones that are to stay", () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(30), fc.nat(30), (keep_versions, keep_days, olderThanDays) => {
        const retention = { keep_versions, keep_days, keep_latest: true };
        const gone = planCleanup(versions, { retention, olderThanDays, now });
        const kept = versions.filter((version) => !gone.includes(version));
        expect(kept.slice(-Math.max(1, Math.min(keep_versions, 4)))).toEqual(
          versions.slice(-Math.max(1, Math.min(keep_versions, 4))),
        );
      }),
    );
  });
});

describe("a query", () => {
  const fill = async (): Promise<VersionStore> => {
    const store = openStore(temporaryDir());
    for (const id of ["b", "a", "b", "c", "b"]) await store.add(newVersion(id, id, { approved: id === "a" }));
    await store.add(newVersion("c", "by another", { generator: "jinja2" }));
    return store;
  };
  const idsOf = async (store: VersionStore, query: Partial<VersionQuery>): Promise<string[]> => {
    const { rows } = await queryVersions(store, { strategy: "latest", limit: 100, ...query });
    return rows.map(({ content_id: id, timestamp }) => `${id}${timestamp.slice(14, 16)}`);
  };

  it("finds the latest of each content, or as it is asked", async () => {
    const store = await fill();
    expect(await idsOf(store, {})).toEqual(["a02", "b05", "c06"]);
    expect(await idsOf(store, { strategy: "all" })).toEqual(["a02", "b01", "b03", "b05", "c04", "c06"]);
    expect(await idsOf(store, { contentId: "b", strategy: "all" })).toEqual(["b01", "b03", "b05"]);
    expect(await idsOf(store, { filter: { approved: true } })).toEqual(["a02"]);
    expect(await idsOf(store, { filter: { generator_type: "template_fill" } })).toEqual(["a02", "b05", "c04"]);
    const filter = { since: "2026-01-01T00:03:00Z", until: "2026-01-01T00:04:00Z" };
    expect(await idsOf(store, { filter })).toEqual(["b03", "c04"]);
    expect(await store.totals()).toEqual({ content_count: 3, version_count: 6, total_bytes: 15 });
  });

  it("is answered in pages that have each row once, though rows come and go", async () => {
    const store = await fill();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await queryVersions(store, {
        strategy: "all",
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.rows.map(({ version_id: id }) => id.slice(14, 16)));
      cursor = page.nextCursor ?? undefined;
      if (seen.length === 2) {
        await store.remove("a", { keepMeta: false });
        await store.add(newVersion("a", "new"));
      }
    } while (cursor !== undefined);
    expect(seen).toEqual(["02", "01", "03", "05", "04", "06"]);
  });

  it("that is shown with its texts has no page that is too large to be sent", async () => {
    const store = openStore(temporaryDir());
    for (const size of [5, 4, 4, 100, 1]) await store.add(newVersion("a", "x".repeat(size)));
    const sizes: number[][] = [];
    let cursor: string | undefined;
    do {
      const page = await queryVersions(store, {
        strategy: "all",
        limit: 100,
        textBytes: 10,
        ...(cursor === undefined ? {} : { cursor }),
      });
      sizes.push(page.rows.map(({ size_bytes: size }) => size));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(sizes).toEqual([[5, 4], [4], [100], [1]]);
  });

  it("of what is not there is refused", async () => {
    const store = await fill();
    const ask = (query: Partial<VersionQuery>) => queryVersions(store, { strategy: "latest", limit: 1, ...query });
    await expect(ask({ contentId: "nobody" })).rejects.toThrow(expect.objectContaining({ code: "content_not_found" }));
    await expect(ask({ contentId: "../x" })).rejects.toThrow(expect.objectContaining({ code: "invalid_config_id" }));
    await expect(ask({ cursor: "zzz" })).rejects.toThrow(expect.objectContaining({ code: "invalid_input" }));
    await expect(ask({ filter: { since: "soon" } })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_input" }),
    );
  });
});
