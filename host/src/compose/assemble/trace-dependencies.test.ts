import { describe, expect, it } from "vitest";
import { artifactConfig } from "../configs/configs-for-tests.ts";
import { storedVersion } from "../storage/storage-for-tests.ts";
import { contentReferences } from "./content-references.ts";
import { traceDependencies, type TraceInput } from "./trace-dependencies.ts";

const input: TraceInput = {
  checkStatus: true,
  showMetadata: false,
  versionsOf: (id) => (id === "a" ? [storedVersion("a", 1), storedVersion("a", 2)] : []),
  hasConfig: (id) => id !== "ghost",
};
const trace = (children: Parameters<typeof artifactConfig>[0], over: Partial<TraceInput> = {}) =>
  traceDependencies(artifactConfig(children), { ...input, ...over });

describe("what an artifact depends on", () => {
  it("is told in the order of assembly", () => {
    const found = trace([{ id: "b" }, { id: "a", order: 1, path: "own.json", retrievalStrategy: "all" }], {
      showMetadata: true,
    });
    expect(found).toEqual({
      status: "incomplete",
      total_dependencies: 2,
      ready: 1,
      missing: 1,
      dependencies: [
        {
          content_id: "a",
          path: "configs/content/a/a-content.json",
          required: true,
          order: 1,
          status: "ready",
          retrieval_strategy: "all",
          metadata: { last_generated: "2026-01-02T12:00:00.000Z", versions_available: 2 },
        },
        {
          content_id: "b",
          path: "configs/content/b/b-content.json",
          required: true,
          order: null,
          status: "missing",
          retrieval_strategy: "latest",
          metadata: { last_generated: null, versions_available: 0 },
        },
      ],
      assembly_order: ["a", "b"],
      missing_content_ids: ["b"],
    });
  });

  it.each([
    [[{ id: "a" }], "ready", null],
    [[{ id: "a" }, { id: "b", required: false }], "ready", ["b"]],
    [[{ id: "a" }, { id: "b" }], "incomplete", ["b"]],
    [[{ id: "b" }, { id: "ghost" }], "missing_config", ["b", "ghost"]],
    [[{ id: "a", review_required: true }], "incomplete", ["a"]],
    [[{ id: "a", conditions: { x: 1 } }], "ready", null],
  ])("%j is %s", (children, status, missing) => {
    expect(trace(children)).toMatchObject({ status, missing_content_ids: missing });
  });

  it("is unknown where nobody looked", () => {
    const found = trace([{ id: "a" }, { id: "b" }], { checkStatus: false });
    expect(found).toMatchObject({ status: "unknown", ready: 0, missing: 0, missing_content_ids: null });
    expect(found.dependencies.map(({ status }) => status)).toEqual(["unknown", "unknown"]);
  });
});

describe("who uses a content", () => {
  it("is each artifact that has it as a child, whatever else is wrong with it", () => {
    const data = { ...artifactConfig([{ id: "a" }, { id: "b" }]) };
    const artifacts = [
      { id: "z", data },
      { id: "book", data },
      { id: "other", data: { ...artifactConfig([{ id: "b" }]) } },
      { id: "broken", data: null },
      { id: "bare", data: { content: { children: [null, "a", { id: ["a"] }] } } },
      { id: "odd", data: { content: { children: [{ id: "a" }] } } },
    ];
    expect(contentReferences("a", artifacts)).toEqual(["book", "odd", "z"]);
    expect(contentReferences("c", artifacts)).toEqual([]);
  });
});
