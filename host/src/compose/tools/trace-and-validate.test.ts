import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { artifactConfig, contentConfig } from "../configs/configs-for-tests.ts";
import { callTool, openBench, type TestBench } from "../keep/bench-for-tests.ts";
import { newVersion } from "../storage/storage-for-tests.ts";
import { traceDependenciesTool } from "./trace-dependencies.ts";
import { validateContentTool } from "./validate-content.ts";

type Args = Readonly<Record<string, unknown>>;

describe("trace_dependencies", () => {
  const trace = ({ bench }: TestBench, args: Args = {}) =>
    callTool(traceDependenciesTool(bench), { artifact_config_id: "book", ...args });

  const openBook = async (): Promise<TestBench> => {
    const test = openBench();
    await test.save(
      "artifact",
      "book",
      artifactConfig([
        { id: "last" },
        { id: "intro", order: 1 },
        { id: "notes", order: 2, required: false },
        { id: "review", order: 3, retrievalStrategy: "approved_only" },
      ]),
    );
    await test.save("content", "last", contentConfig());
    await test.bench.versions.add(newVersion("intro", "1"));
    await test.bench.versions.add(newVersion("review", "1"));
    return test;
  };

  it("shows what is there and what is not, in the order of assembly", async () => {
    const answer = await trace(await openBook());
    expect(Object.keys(answer)).toEqual([
      "success",
      "status",
      "total_dependencies",
      "ready",
      "missing",
      "dependencies",
      "assembly_order",
      "missing_content_ids",
      "duration_ms",
    ]);
    expect(answer).toMatchObject({
      status: "missing_config",
      total_dependencies: 4,
      ready: 1,
      missing: 3,
      assembly_order: ["intro", "notes", "review", "last"],
      missing_content_ids: ["notes", "review", "last"],
    });
    expect(answer.dependencies[0]).toEqual({
      content_id: "intro",
      path: "configs/content/intro/intro-content.json",
      required: true,
      order: 1,
      status: "ready",
      retrieval_strategy: "latest",
    });
    expect(answer.dependencies[3]).toMatchObject({ content_id: "last", order: null, status: "missing" });
  });

  it("is ready as soon as all that is required is there", async () => {
    const test = await openBook();
    await test.bench.versions.add(newVersion("review", "2", { approved: true }));
    expect((await trace(test)).status).toBe("incomplete");
    await test.bench.versions.add(newVersion("last", "1"));
    expect(await trace(test)).toMatchObject({ status: "ready", missing_content_ids: ["notes"] });
    await test.bench.versions.add(newVersion("notes", "1"));
    expect(await trace(test)).toMatchObject({ status: "ready", missing: 0, missing_content_ids: null });
  });

  it("looks at nothing where that is wanted", async () => {
    const answer = await trace(await openBook(), { check_status: false });
    expect(answer).toMatchObject({ status: "unknown", ready: 0, missing: 0, missing_content_ids: null });
    expect(new Set(answer.dependencies.map(({ status }: { status: string }) => status))).toEqual(new Set(["unknown"]));
  });

  it.each([true, false])("tells what is stored, whether or not it checks (%s)", async (check_status) => {
    const test = await openBook();
    const { timestamp } = await test.bench.versions.add(newVersion("intro", "2"));
    const { dependencies } = await trace(test, { check_status, show_metadata: true });
    expect(dependencies[0].metadata).toEqual({ last_generated: timestamp, versions_available: 2 });
    expect(dependencies[1].metadata).toEqual({ last_generated: null, versions_available: 0 });
  });

  it("says which tool takes a content that is taken for an artifact", async () => {
    const { error } = await trace(await openBook(), { artifact_config_id: "last" });
    expect(error).toMatchObject({
      code: "config_not_found",
      details: { next: 'generate_content {"content_config_id":"last"}' },
    });
  });
});

describe("validate_content", () => {
  const validate = ({ bench }: TestBench, id: string, validation_rules: readonly unknown[] = []) =>
    callTool(validateContentTool(bench), { content_or_config_id: id, validation_rules });
  const codesOf = ({ issues }: { issues: readonly { code: string }[] }): string[] => issues.map(({ code }) => code);

  it("looks at the latest stored text before the config", async () => {
    const test = openBench();
    await test.save("content", "letter", { ...contentConfig(), elements: [] });
    const ofConfig = await validate(test, "letter");
    expect(ofConfig).toMatchObject({ valid: false, target: "config", error_count: 1 });
    expect(ofConfig.issues[0]).toMatchObject({ code: "schema_validation_failed", location: "/elements" });
    await test.bench.versions.add(newVersion("letter", "An old text that is long enough."));
    await test.bench.versions.add(newVersion("letter", "[TBD]"));
    const ofText = await validate(test, "letter");
    expect(ofText).toMatchObject({ valid: true, target: "content", error_count: 0, warning_count: 2, info_count: 0 });
    expect(codesOf(ofText)).toEqual(["content_very_short", "content_incomplete"]);
  });

  it("applies the caller's rules, and tells of those that are none", async () => {
    const test = openBench();
    await test.bench.versions.add(newVersion("letter", "A text that is long enough."));
    const answer = await validate(test, "letter", [
      { type: "length", config: { max: 5 } },
      { type: "pattern", severity: "info", config: { regex: "^#" } },
      { type: "spelling" },
      5,
    ]);
    expect(codesOf(answer)).toEqual(["content_too_long", "pattern_mismatch", "unknown_rule_type", "invalid_rule"]);
    expect(answer).toMatchObject({ valid: false, error_count: 2, warning_count: 1, info_count: 1 });
  });

  it("takes a config that is no JSON for one that is not valid", async () => {
    const test = openBench();
    await test.save("artifact", "book", artifactConfig([{ id: "a" }]));
    expect(await validate(test, "book")).toMatchObject({ valid: true, target: "config", issues: [] });
    writeFileSync(join(test.root, "configs/artifacts/book-artifact.json"), "{");
    const answer = await validate(test, "book");
    expect(answer).toMatchObject({ success: true, valid: false, target: "config" });
    expect(codesOf(answer)).toEqual(["schema_validation_failed"]);
  });

  it("applies the rules of a draft to it", async () => {
    const test = openBench();
    const rule = { id: "r", check_type: "presence", target: "body", check_config: {}, severity: "error" };
    const config_data = contentConfig({ validation: { rules: [rule] } });
    const { draft_id } = await test.bench.drafts.create({ config_type: "content", config_data });
    const answer = await validate(test, draft_id);
    expect(answer).toMatchObject({ valid: false, target: "config" });
    expect(codesOf(answer)).toEqual(["missing_required_field"]);
    await test.bench.versions.add(newVersion(draft_id, "A text that is long enough."));
    expect(await validate(test, draft_id)).toMatchObject({ valid: true, target: "content" });
  });

  it("tells of a file whose id is another one", async () => {
    const test = openBench();
    await test.save("content", "copy", contentConfig());
    writeFileSync(join(test.root, "configs/content/copy/copy-content.json"), JSON.stringify(contentConfig()));
    const answer = await validate(test, "copy");
    expect(answer).toMatchObject({ valid: true, warning_count: 1 });
    expect(answer.issues[0]).toMatchObject({ code: "unsupported_field", location: "/id" });
  });
});
