import { describe, expect, test } from "vitest";
import { patternConfig } from "../configs/configs-for-tests.ts";
import { badExamples, callTool, createBench, testCall } from "../make/bench-for-tests.ts";
import { describeGenerationFailures } from "../make/generation-failures-for-tests.ts";
import { contentHash } from "../storage/stored-version.ts";
import { regenerateContentTool } from "./regenerate-content.ts";

const setUp = (options: Parameters<typeof createBench>[0] = {}) => {
  const bench = createBench(options);
  bench.save(patternConfig({ template: "a\n{{ x }}\nc" }));
  const tool = regenerateContentTool(bench);
  const call = (args: object, signal?: AbortSignal) =>
    callTool(tool, { content_config_id: "letter", ...args }, testCall(signal));
  return { bench, tool, call };
};

describe("regenerate_content", () => {
  test("has nothing to compare the first text with", async () => {
    const { call } = setUp();
    const answer = await call({ context: { x: "b" } });
    expect(answer).toMatchObject({ status: "regenerated", previous_version: null, changes: null, reason: null });
    expect(Object.keys(answer)).toEqual([
      "success",
      "content_id",
      "content",
      "generator",
      "status",
      "metadata",
      "previous_version",
      "changes",
      "reason",
      "duration_ms",
    ]);
  });

  test("makes the same text again, and says that nothing changed", async () => {
    const { bench, call } = setUp();
    await call({ context: { x: "b" } });
    expect(await call({ context: { x: "b" }, reason: "to see" })).toMatchObject({
      status: "regenerated",
      changes: { lines_added: 0, lines_removed: 0, lines_changed: 0, summary: "No changes detected" },
      reason: "to see",
    });
    const versions = await bench.versions.versionsOf("letter");
    expect(versions.map(({ reason }) => reason)).toEqual([undefined, "to see"]);
    expect(bench.told).toEqual(["content://letter", "content://letter"]);
  });

  test("tells by lines what changed, and since which version", async () => {
    const { bench, call } = setUp();
    await call({ context: { x: "b" } });
    const [before] = await bench.versions.versionsOf("letter");
    expect(await call({ context: { x: "B\nBB" } })).toMatchObject({
      previous_version: {
        version_id: before?.version_id,
        timestamp: before?.timestamp,
        content_hash: contentHash("a\nb\nc"),
      },
      changes: { lines_added: 2, lines_removed: 1, lines_changed: 1, summary: "Updated: +2 -1 ~1 lines" },
    });
  });

  test("compares nothing when it is told not to", async () => {
    const { call } = setUp();
    await call({ context: { x: "b" } });
    const answer = await call({ context: { x: "c" }, compare: false });
    expect(answer["changes"]).toBeNull();
    expect(answer["previous_version"]).not.toBeNull();
  });

  test("compares each of two at once with the version just before it", async () => {
    const { bench, call } = setUp();
    await Promise.all([1, 2, 3].map((x) => call({ context: { x } })));
    const ids = (await bench.versions.versionsOf("letter")).map(({ version_id: id }) => id);
    expect(ids).toHaveLength(3);
    const last = await call({ context: { x: 4 } });
    expect(last).toMatchObject({ previous_version: { version_id: ids[2] } });
  });

  test("has examples that its schema takes", () => {
    expect(badExamples(setUp().tool)).toEqual([]);
  });
});

describeGenerationFailures("regenerate_content", regenerateContentTool);
