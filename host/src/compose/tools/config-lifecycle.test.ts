import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { artifactConfig, contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import { callTool, openBench, type TestBench } from "../keep/bench-for-tests.ts";
import { draftConfigTool } from "./draft-config.ts";
import { modifyConfigTool } from "./modify-config.ts";
import { saveConfigTool } from "./save-config.ts";

const LETTER = "configs/content/letter/letter-content.json";

const draft = ({ bench }: TestBench, config_data: object, config_type = "content") =>
  callTool(draftConfigTool(bench), { config_type, config_data });
const save = ({ bench }: TestBench, args: Readonly<Record<string, unknown>>) => callTool(saveConfigTool(bench), args);
const modify = ({ bench }: TestBench, config_id: string, updates: object, more: object = {}) =>
  callTool(modifyConfigTool(bench), { config_id, updates, ...more });
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

describe("draft_config", () => {
  it("keeps a valid config and says where", async () => {
    const test = openBench();
    const answer = await draft(test, contentConfig());
    expect(Object.keys(answer)).toEqual([
      "success",
      "draft_id",
      "config_type",
      "validation_status",
      "preview_path",
      "created_at",
      "warnings",
      "duration_ms",
    ]);
    expect(answer).toMatchObject({
      draft_id: expect.stringMatching(/^draft-\d{8}T\d{6}-[0-9a-f]{6}$/),
      config_type: "content",
      validation_status: "valid",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      warnings: [],
    });
    expect(answer.preview_path).toBe(`compose/drafts/${answer.draft_id}.json`);
    expect(readJson(join(dirname(test.dir), answer.preview_path)).config_data).toEqual(contentConfig());
  });

  it("shows what the draft is for, and so does whoever changes it", async () => {
    const test = openBench();
    const args = { config_type: "content", config_data: contentConfig(), description: "First try" };
    const answer = await callTool(draftConfigTool(test.bench), args);
    expect(answer.description).toBe("First try");
    expect(await modify(test, answer.draft_id, { "x-a": 1 })).toMatchObject({ description: "First try" });
    const plain = await draft(test, contentConfig());
    expect(await modify(test, plain.draft_id, {})).not.toHaveProperty("description");
  });

  it("tells everything that is wrong at once, and keeps nothing", async () => {
    const test = openBench();
    const { error } = await draft(test, { type: "content", id: "A", metadata: {}, elements: [] });
    expect(error.code).toBe("validation_error");
    expect(error.details.violations.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual(
      ["/elements", "/id", "/metadata/description", "/metadata/version", "/schemaRef"].toSorted(),
    );
    expect(error.details.violations[0]).toEqual({ pointer: expect.any(String), message: expect.any(String) });
    expect(existsSync(join(test.dir, "drafts"))).toBe(false);
  });

  it("warns of what changes nothing and of a generator that there is not", async () => {
    const test = openBench();
    const { warnings } = await draft(test, patternConfig({ type: "jinja" }, { elemnts: [] }));
    expect(warnings).toEqual([
      { code: "unknown_key", pointer: "/elemnts", message: expect.stringContaining('"elements"') },
      {
        code: "unsupported_field",
        pointer: "/generation/patterns/0/type",
        message: 'There is no generator "jinja" now. Did you mean "jinja2"?',
      },
    ]);
  });

  it.each(["custom strategy", "binary format"])("refuses the %s", async (what) => {
    const over =
      what === "custom strategy" ? { compositionStrategy: "custom" } : { outputs: [{ file: "a.pdf", format: "pdf" }] };
    const { error } = await draft(openBench(), artifactConfig([{ id: "a" }], over), "artifact");
    expect(error.code).toBe("validation_error");
  });
});

describe("save_config", () => {
  it("saves a draft where loading looks, under the id that was wanted", async () => {
    const test = openBench();
    const { draft_id } = await draft(test, contentConfig());
    const answer = await save(test, { draft_id, config_id: "note" });
    expect(answer).toEqual({
      success: true,
      config_path: "configs/content/note/note-content.json",
      config_id: "note",
      config_type: "content",
      backup_path: null,
      id_rewritten: true,
      duration_ms: 1,
    });
    expect((await test.bench.configs.content("note")).config).toEqual(contentConfig({ id: "note" }));
    expect(test.changed).toEqual(["config://content/note"]);
    expect((await save(test, { draft_id, config_id: "letter" })).id_rewritten).toBe(false);
    const book = await draft(test, artifactConfig([{ id: "note" }]), "artifact");
    await save(test, { draft_id: book.draft_id, config_id: "book" });
    expect((await test.bench.configs.artifact("book")).config.content.children).toEqual([{ id: "note" }]);
    expect(test.changed.at(-1)).toBe("config://artifact/book");
  });

  it("replaces only where that is wanted, with the old one beside it", async () => {
    const test = openBench();
    await test.save("content", "letter", contentConfig());
    const old = readFileSync(join(test.root, LETTER), "utf8");
    const { draft_id } = await draft(test, contentConfig({ "x-new": true }));
    const { error } = await save(test, { draft_id, config_id: "letter" });
    expect(error).toMatchObject({ code: "save_failed", details: { config_id: "letter", draft_id } });
    expect(error.details.next).toBe(`save_config {"draft_id":"${draft_id}","config_id":"letter","overwrite":true}`);
    expect(readFileSync(join(test.root, LETTER), "utf8")).toBe(old);
    const answer = await save(test, { draft_id, config_id: "letter", overwrite: true });
    expect(answer.backup_path).toBe(`${LETTER}.backup`);
    expect(readFileSync(join(test.root, answer.backup_path), "utf8")).toBe(old);
    expect(readJson(join(test.root, LETTER))["x-new"]).toBe(true);
  });

  it("says so where nothing can be written", async () => {
    const test = openBench();
    const { draft_id } = await draft(test, contentConfig());
    writeFileSync(join(test.root, "configs"), "a file");
    const { error } = await save(test, { draft_id, config_id: "letter" });
    expect(error).toMatchObject({ code: "save_failed", message: expect.stringContaining(LETTER) });
    expect((await save(test, { draft_id, config_id: "a".repeat(255) })).error.code).toBe("save_failed");
    expect(test.changed).toEqual([]);
  });

  it("does not save a draft that is not valid any more", async () => {
    const test = openBench();
    const { draft_id } = await test.bench.drafts.create({ config_type: "content", config_data: { type: "content" } });
    const { error } = await save(test, { draft_id, config_id: "letter" });
    expect(error).toMatchObject({ code: "save_failed", details: { violations: expect.any(Array) } });
    expect(readdirSync(test.root)).toEqual([]);
  });
});

describe("modify_config", () => {
  it("changes a draft by a merge patch, with a copy of what it was", async () => {
    const test = openBench();
    const config = contentConfig({ evolution: { stage: "draft", history: [1, 2] } });
    const { draft_id } = await draft(test, config);
    const answer = await modify(test, draft_id, {
      metadata: { output_format: "json" },
      evolution: { stage: null, history: [3] },
    });
    expect(answer).toMatchObject({ draft_id, config_id: draft_id, validation_status: "valid" });
    expect(answer.backup_path).toBe(`compose/drafts/${draft_id}.json.backup`);
    expect(readJson(join(dirname(test.dir), answer.backup_path)).config_data).toEqual(config);
    expect((await test.bench.drafts.read(draft_id)).config_data).toEqual({
      ...config,
      metadata: { description: "A letter.", version: "1.0.0", output_format: "json" },
      evolution: { history: [3] },
    });
    expect((await modify(test, draft_id, {}, { create_backup: false })).backup_path).toBeNull();
  });

  it("makes a new draft of a saved config, and leaves the file as it is", async () => {
    const test = openBench();
    await test.save("artifact", "book", artifactConfig([{ id: "a" }]));
    const path = join(test.root, "configs/artifacts/book-artifact.json");
    const before = readFileSync(path, "utf8");
    const answer = await modify(test, "book", { metadata: { title: "Other" } });
    expect(answer).toMatchObject({ config_id: "book", validation_status: "valid", backup_path: null });
    expect(await test.bench.drafts.read(answer.draft_id)).toMatchObject({
      config_type: "artifact",
      config_data: { metadata: { title: "Other", purpose: "To be read." } },
      from: "book",
    });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(test.changed).toEqual([]);
  });

  it("mends a saved config that is not valid", async () => {
    const test = openBench();
    await test.save("content", "letter", { ...contentConfig(), elements: [] });
    expect((await modify(test, "letter", {})).error.code).toBe("modification_failed");
    expect((await modify(test, "letter", { elements: [{ name: "a" }] })).success).toBe(true);
    writeFileSync(join(test.root, LETTER), "{");
    const { error } = await modify(test, "letter", { elements: [{ name: "a" }] });
    expect(error).toMatchObject({ code: "modification_failed", details: { next: `Mend ${LETTER} by hand.` } });
  });

  it.each([
    ["what its schema does not allow", { metadata: { version: "one" } }, "/metadata/version"],
    ["the other type", { type: "artifact" }, "/type"],
    ["a required member gone", { elements: null }, "/elements"],
  ])("refuses %s, and changes nothing", async (_what, updates, pointer) => {
    const test = openBench();
    const { draft_id } = await draft(test, contentConfig());
    const before = readdirSync(join(test.dir, "drafts"));
    const { error } = await modify(test, draft_id, updates);
    expect(error).toMatchObject({ code: "modification_failed", details: { violations: [{ pointer }] } });
    expect((await test.bench.drafts.read(draft_id)).config_data).toEqual(contentConfig());
    expect(readdirSync(join(test.dir, "drafts"))).toEqual(before);
  });

  it("refuses updates that are nested without end", async () => {
    const test = openBench();
    const { draft_id } = await draft(test, contentConfig());
    let deep: object = {};
    for (let i = 0; i < 5_000; i++) deep = { a: deep };
    const tool = modifyConfigTool(test.bench);
    await expect(tool.run({ config_id: draft_id, updates: deep }, {} as never)).rejects.toThrow(
      expect.objectContaining({ code: "modification_failed" }),
    );
  });

  it("keeps a member called __proto__ a member", async () => {
    const test = openBench();
    const { draft_id } = await draft(test, contentConfig());
    await modify(test, draft_id, JSON.parse('{"x-a":{"__proto__":{"polluted":1}}}'));
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(JSON.stringify(await test.bench.drafts.read(draft_id))).toContain('{"__proto__":{"polluted":1}}');
  });

  it("asks which one is meant where a content and an artifact have one id", async () => {
    const test = openBench();
    await test.save("content", "both", contentConfig());
    await test.save("artifact", "both", artifactConfig([{ id: "a" }]));
    expect((await modify(test, "both", {})).error).toMatchObject({
      code: "modification_failed",
      details: { next: expect.stringContaining('"type":"artifact"') },
    });
    for (const type of ["content", "artifact"]) {
      const { draft_id } = await modify(test, "both", { type });
      expect((await test.bench.drafts.read(draft_id)).config_type).toBe(type);
    }
  });

  it("names the saved config that is nearest to what was asked for", async () => {
    const test = openBench();
    await test.save("artifact", "book", artifactConfig([{ id: "a" }]));
    const { error } = await modify(test, "bok", {});
    expect(error).toMatchObject({ code: "config_not_found", details: { nearest: ["book"] } });
    expect(error.message).toBe('There is no config "bok". Did you mean "book"?');
  });
});
