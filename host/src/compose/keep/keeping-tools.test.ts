/** What holds for each of the tools that keep, list and check things. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { artifactConfig, contentConfig } from "../configs/configs-for-tests.ts";
import { newVersion } from "../storage/storage-for-tests.ts";
import { cleanupEphemeralTool } from "../tools/cleanup-ephemeral.ts";
import type { ComposeTool } from "../tools/compose-tool.ts";
import { deleteContentTool } from "../tools/delete-content.ts";
import { draftConfigTool } from "../tools/draft-config.ts";
import { listArtifactsTool } from "../tools/list-artifacts.ts";
import { listContentTool } from "../tools/list-content.ts";
import { listGeneratorsTool } from "../tools/list-generators.ts";
import { modifyConfigTool } from "../tools/modify-config.ts";
import { queryEphemeralStorageTool } from "../tools/query-ephemeral-storage.ts";
import { saveConfigTool } from "../tools/save-config.ts";
import { traceDependenciesTool } from "../tools/trace-dependencies.ts";
import { validateContentTool } from "../tools/validate-content.ts";
import type { Workbench } from "../workbench.ts";
import { callTool, isValidInput, openBench, type TestBench } from "./bench-for-tests.ts";

type Args = Readonly<Record<string, unknown>>;

const toolsOf = (bench: Workbench): ReadonlyMap<string, ComposeTool> =>
  new Map(
    [
      draftConfigTool(bench),
      saveConfigTool(bench),
      modifyConfigTool(bench),
      queryEphemeralStorageTool(bench),
      cleanupEphemeralTool(bench),
      deleteContentTool(bench),
      listGeneratorsTool(bench),
      listContentTool(bench),
      listArtifactsTool(bench, { lastAssembled: () => Promise.resolve(null) }),
      traceDependenciesTool(bench),
      validateContentTool(bench),
    ].map((tool) => [tool.name, tool]),
  );

const TOOLS = [...toolsOf({} as Workbench).values()];
const NO_DRAFT = "draft-20260101T000000-00000a";

/** Every place of a tool where an id stands; `drafts`: a draft may be meant there. */
const ID_PLACES: readonly {
  tool: string;
  drafts: boolean;
  code?: string;
  args: (id: string, draft: string) => Args;
}[] = [
  { tool: "save_config", drafts: true, args: (id) => ({ draft_id: id, config_id: "a" }) },
  {
    tool: "save_config",
    drafts: false,
    code: "save_failed",
    args: (id, draft) => ({ draft_id: draft, config_id: id }),
  },
  { tool: "modify_config", drafts: true, args: (id) => ({ config_id: id, updates: {} }) },
  { tool: "query_ephemeral_storage", drafts: true, args: (id) => ({ content_id: id }) },
  {
    tool: "cleanup_ephemeral",
    drafts: false,
    args: (id) => ({ filter: { content_ids: ["intro", id] }, retention: { keep_versions: 0, keep_days: 0 } }),
  },
  { tool: "delete_content", drafts: true, args: (id) => ({ content_id: id, force: true }) },
  { tool: "trace_dependencies", drafts: false, args: (id) => ({ artifact_config_id: id }) },
  { tool: "validate_content", drafts: true, args: (id) => ({ content_or_config_id: id }) },
];

const HOSTILE = [
  "",
  " ",
  ".",
  "..",
  "../intro",
  "intro/..",
  "a/b",
  "/etc/passwd",
  "a\\b",
  "..\\intro",
  "a\0b",
  "\0",
  "intro\n",
  "Intro",
  "1intro",
  "-intro",
  "intro.json",
  "ïntro",
  "intro\u202e",
  "\ud800",
  "%2e%2e%2fintro",
  "~",
  "a".repeat(300),
  "draft-20260101T000000-00000g",
  "draft-20260101T000000-00000a/..",
];

/** What each code of each guide comes of. */
const ERRORS: Readonly<Record<string, Readonly<Record<string, (test: TestBench) => Promise<Args> | Args>>>> = {
  draft_config: {
    validation_error: () => ({ config_type: "artifact", config_data: contentConfig() }),
    invalid_input: () => ({ config_type: "content", config_data: contentConfig({ state: "x".repeat(10_000_001) }) }),
  },
  save_config: {
    draft_not_found: () => ({ draft_id: NO_DRAFT, config_id: "a" }),
    save_failed: async (test) => ({ draft_id: await draftLetter(test), config_id: "letter" }),
    invalid_config_id: () => ({ draft_id: "letter", config_id: "a" }),
  },
  modify_config: {
    draft_not_found: () => ({ config_id: NO_DRAFT, updates: {} }),
    config_not_found: () => ({ config_id: "lettre", updates: {} }),
    modification_failed: () => ({ config_id: "letter", updates: { elements: null } }),
    invalid_config_id: () => ({ config_id: "..", updates: {} }),
    invalid_input: () => ({ config_id: "letter", updates: { state: "x".repeat(10_000_001) } }),
  },
  query_ephemeral_storage: {
    content_not_found: () => ({ content_id: "letter" }),
    invalid_input: () => ({ strategy: "newest" }),
    invalid_config_id: () => ({ content_id: "" }),
  },
  cleanup_ephemeral: {
    invalid_retention: () => ({ retention: { keep_days: -1 } }),
    invalid_config_id: () => ({ filter: { content_ids: [".."] } }),
  },
  delete_content: {
    content_not_found: () => ({ content_id: "letter" }),
    content_referenced: () => ({ content_id: "intro" }),
    invalid_config_id: () => ({ content_id: ".." }),
  },
  list_generators: {},
  list_content: { invalid_input: () => ({ limit: 0 }) },
  list_artifacts: { invalid_input: () => ({ sort: "size" }) },
  trace_dependencies: {
    config_not_found: () => ({ artifact_config_id: "letter" }),
    assembly_failed: (test) => {
      writeFileSync(join(test.root, "configs/artifacts/torn-artifact.json"), '{"type":"artifact"');
      return { artifact_config_id: "torn" };
    },
    invalid_config_id: () => ({ artifact_config_id: NO_DRAFT }),
  },
  validate_content: {
    content_not_found: () => ({ content_or_config_id: "nothing" }),
    validation_failed: (test) => {
      const folder = join(test.dir, "ephemeral/intro");
      for (const name of readdirSync(folder).filter((each) => each.endsWith(".markdown")))
        writeFileSync(join(folder, name), "something else");
      return { content_or_config_id: "intro" };
    },
    invalid_config_id: () => ({ content_or_config_id: "a/b" }),
  },
};

const draftLetter = async ({ bench }: TestBench): Promise<string> =>
  (await bench.drafts.create({ config_type: "content", config_data: contentConfig() })).draft_id;

/** A saved letter, a stored introduction, and a book that wants both. */
const openFilled = async (): Promise<TestBench> => {
  const test = openBench();
  await test.save("content", "letter", contentConfig());
  await test.save("artifact", "book", artifactConfig([{ id: "intro" }, { id: "letter" }]));
  await test.bench.versions.add(newVersion("intro", "This is how it begins."));
  await test.bench.versions.add(newVersion("intro", "This is how it begins now."));
  return test;
};

const propertiesIn = (schema: unknown): [string, unknown][] => {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {}, items } = schema as { properties?: Record<string, unknown>; items?: unknown };
  return [...Object.entries(properties), ...Object.values(properties).flatMap(propertiesIn), ...propertiesIn(items)];
};

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
  it("has at least two examples, which its schema takes", () => {
    expect(tool.guide.examples.length).toBeGreaterThanOrEqual(2);
    for (const { input } of tool.guide.examples) expect(isValidInput(tool, input ?? {})).toBe(true);
  });

  it("says what each member is for, and takes no other one", () => {
    for (const schema of [tool.inputSchema, tool.outputSchema])
      for (const [key, value] of propertiesIn(schema))
        expect([key, value]).toEqual([key, expect.objectContaining({ description: expect.any(String) })]);
    expect(isValidInput(tool, { ...tool.guide.examples[0]?.input, unheard_of: 1 })).toBe(false);
  });

  it("names only errors that occur", () => {
    expect(Object.keys(ERRORS[name]!)).toEqual(tool.guide.common_errors.map(({ code }) => code));
  });

  it.each(Object.keys(ERRORS[name]!))("answers %s, and changes nothing", async (code) => {
    const test = await openFilled();
    const own = toolsOf(test.bench).get(name)!;
    const args = await ERRORS[name]![code]!(test);
    // What the schema does not take never comes to the tool: the host says the same code.
    if (!isValidInput(own, args)) expect(code).toBe("invalid_input");
    else expect(await callTool(own, args)).toMatchObject({ success: false, error: { code } });
    expect(test.changed).toEqual([]);
  });
});

describe("an id that is none", () => {
  it.each(ID_PLACES.map((place) => [place.tool, place] as const))("is refused by %s", async (name, place) => {
    const test = await openFilled();
    const tool = toolsOf(test.bench).get(name)!;
    const draft = await draftLetter(test);
    for (const id of place.drafts ? HOSTILE : [...HOSTILE, draft, NO_DRAFT]) {
      const { error } = await callTool(tool, place.args(id, draft));
      expect([id, error?.code]).toEqual([id, place.code ?? "invalid_config_id"]);
    }
    expect(test.changed).toEqual([]);
    expect(await test.bench.versions.versionsOf("intro")).toHaveLength(2);
    expect(readdirSync(test.root)).toEqual(["configs"]);
    expect(readdirSync(join(test.root, "configs")).toSorted()).toEqual(["artifacts", "content"]);
    expect(existsSync(join(test.root, "configs/content/letter/letter-content.json"))).toBe(true);
  });

  it("is told apart: empty, a path, or something else", async () => {
    const tool = validateContentTool(openBench().bench);
    const tell = async (id: string): Promise<string> =>
      (await callTool(tool, { content_or_config_id: id })).error.message as string;
    expect(await tell("")).toBe("Config ID cannot be empty");
    expect(await tell("a/b")).toBe("Config ID contains invalid path characters");
    expect(await tell("A")).toMatch(/must begin with a letter/);
  });
});
