import { describe, expect, it } from "vitest";
import { artifactConfig, contentConfig } from "../configs/configs-for-tests.ts";
import { isApproved } from "../configs/is-approved.ts";
import { storedVersion } from "../storage/storage-for-tests.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import { assemblyFault, planAssembly } from "./plan-assembly.ts";

const stored: Readonly<Record<string, readonly StoredVersion[]>> = {
  a: [storedVersion("a", 1), storedVersion("a", 2, { approved: true }), storedVersion("a", 3)],
  b: [storedVersion("b", 1)],
};
const versionsOf = (id: string): readonly StoredVersion[] => (Object.hasOwn(stored, id) ? stored[id]! : []);
const plan = (children: Parameters<typeof artifactConfig>[0], context = {}) =>
  planAssembly(artifactConfig(children), { context, versionsOf });
const daysOf = (children: Parameters<typeof artifactConfig>[0]): number[][] =>
  plan(children).parts.map(({ versions }) => versions.map(({ timestamp }) => Number(timestamp.slice(8, 10))));

describe("what an artifact is made of", () => {
  it("comes in its order, those without one last", () => {
    const children = [{ id: "a" }, { id: "b", order: 2 }, { id: "b", order: -1 }, { id: "a", order: 2 }, { id: "b" }];
    expect(plan(children).parts.map(({ content_id: id }) => id)).toEqual(["b", "b", "a", "a", "b"]);
  });

  it.each([
    [{ id: "a" }, [3]],
    [{ id: "a", retrievalStrategy: "latest" }, [3]],
    [{ id: "a", retrievalStrategy: "all" }, [1, 2, 3]],
    [{ id: "a", retrievalStrategy: "approved_only" }, [2]],
    [{ id: "a", retrievalStrategy: "version", version: "2026-01-01T12:00:00.000Z" }, [1]],
    [{ id: "a", review_required: true }, [2]],
    [{ id: "a", review_required: true, retrievalStrategy: "all" }, [2]],
  ] as const)("is for %j the days %j", (child, days) => {
    expect(daysOf([child])).toEqual([days]);
  });

  it("is less where a condition does not hold, and says so", () => {
    const child = { id: "a", conditions: { "env.name": "prod", flags: ["x"] } };
    expect(plan([child], { env: { name: "prod" }, flags: ["x"] }).parts).toHaveLength(1);
    expect(plan([child], { env: { name: "prod" }, flags: [] })).toMatchObject({
      parts: [],
      skipped: [{ content_id: "a", reason: "condition not met: flags" }],
      missing: [],
    });
    expect(plan([child], {}).skipped[0]?.reason).toBe("condition not met: env.name");
    expect(plan([{ id: "a", conditions: { constructor: {} } }], {}).parts).toEqual([]);
  });

  it("never waits for what is optional", () => {
    const found = plan([
      { id: "a" },
      { id: "none", required: false },
      { id: "b", required: false, review_required: true },
      { id: "b", required: false, retrievalStrategy: "version", version: "x" },
    ]);
    expect(found.parts.map(({ content_id: id }) => id)).toEqual(["a"]);
    expect(found.skipped).toEqual([
      { content_id: "none", reason: "nothing is stored for it" },
      { content_id: "b", reason: "no version of it is approved" },
      { content_id: "b", reason: "it has no version x" },
    ]);
    expect(found.missingOptional).toEqual(["none", "b"]);
    expect(assemblyFault(found, artifactConfig([{ id: "a" }]))).toBeNull();
  });

  it("is refused with the calls that would make it whole", () => {
    const artifact = artifactConfig([{ id: "a" }, { id: "x" }, { id: "y" }, { id: "z", required: false }]);
    const fault = assemblyFault(planAssembly(artifact, { context: {}, versionsOf }), artifact);
    expect(fault).toMatchObject({
      code: "content_missing",
      details: { missing_content: ["x", "y"], available_content: ["a"], total_required: 3 },
    });
    expect(fault?.details["suggestion"]).toContain('generate_content {"content_config_id":"x"}');
    expect(fault?.details["suggestion"]).toContain('generate_content {"content_config_id":"y"}');
  });

  it.each([
    { id: "b", review_required: true },
    { id: "b", retrievalStrategy: "approved_only" },
    { id: "a", review_required: true, retrievalStrategy: "version", version: "2026-01-03T12:00:00.000Z" },
  ] as const)("is refused without an approval that %j wants", (child) => {
    const artifact = artifactConfig([child]);
    const fault = assemblyFault(planAssembly(artifact, { context: {}, versionsOf }), artifact);
    expect(fault).toMatchObject({ code: "content_not_approved", details: { content_ids: [child.id] } });
  });
});

describe("a content", () => {
  it("is approved as a whole, or by each of its elements", () => {
    const by = (...statuses: string[]) =>
      isApproved(contentConfig({ elements: statuses.map((review_status) => ({ name: "a", review_status })) }));
    expect(isApproved(contentConfig())).toBe(false);
    expect(isApproved(contentConfig({ evolution: { stage: "approved" } }))).toBe(true);
    expect([by("approved", "approved"), by("approved", "pending")]).toEqual([true, false]);
  });
});
