import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { artifactConfig, contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import { callTool, isValidInput, openBench, pluginEntry, type TestBench } from "../keep/bench-for-tests.ts";
import { newVersion } from "../storage/storage-for-tests.ts";
import { listArtifactsTool } from "./list-artifacts.ts";
import { listContentTool } from "./list-content.ts";
import { listGeneratorsTool } from "./list-generators.ts";

type Args = Readonly<Record<string, unknown>>;
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

describe("list_generators", () => {
  const list = (args: Args) => callTool(listGeneratorsTool(openBench([pluginEntry("changelog")]).bench), args);
  const typesOf = ({ generators }: { generators: { type: string }[] }) => generators.map(({ type }) => type);
  const BUILT_IN = ["bdd_scenario_assembly", "code_generation", "demonstration", "jinja2", "template_fill"];

  it("shows all of them by type, also those that lack something", async () => {
    const answer = await list({});
    expect(typesOf(answer)).toEqual(["bdd_scenario_assembly", "changelog", ...BUILT_IN.slice(1)]);
    expect(answer).toMatchObject({ total_count: 6, filtered: false });
    expect(answer.generators[1]).toEqual({
      name: "changelog",
      type: "changelog",
      version: "1.0.0",
      description: expect.any(String),
      capabilities: expect.any(Array),
      source: "plugin",
      availability: { status: "unavailable", reason: "It lacks KEY.", missing: ["KEY"] },
    });
  });

  it.each([
    [{ generator_type: "builtin" }, BUILT_IN],
    [{ generator_type: "plugin" }, ["changelog"]],
    [{ include_plugins: false }, BUILT_IN],
    [{ generator_type: "plugin", include_plugins: false }, []],
  ])("shows those that are wanted: %j", async (args, types) => {
    const answer = await list(args);
    expect(typesOf(answer)).toEqual(types);
    expect(answer).toMatchObject({ total_count: types.length, filtered: true });
  });

  it("takes null for all", async () => {
    expect(await list({ generator_type: null })).toMatchObject({ total_count: 6, filtered: false });
  });
});

const breakContent = ({ root }: TestBench, id: string, text: string): void => {
  mkdirSync(join(root, "configs/content", id), { recursive: true });
  writeFileSync(join(root, "configs/content", id, `${id}-content.json`), text);
};

describe("list_content", () => {
  const list = ({ bench }: TestBench, args: Args = {}) => callTool(listContentTool(bench), args);

  it("shows each saved config with what is stored of it", async () => {
    const test = openBench();
    await test.save(
      "content",
      "letter",
      patternConfig(
        { template: "Dear {{name}}" },
        {
          metadata: { description: "A letter.", version: "1.0.0", output_format: "text" },
          evolution: { stage: "review" },
        },
      ),
    );
    await test.bench.versions.add(newVersion("letter", "1"));
    const { timestamp } = await test.bench.versions.add(newVersion("letter", "2"));
    expect(await list(test)).toEqual({
      success: true,
      total: 1,
      returned: 1,
      content: [
        {
          id: "letter",
          title: "A letter.",
          generator_type: "template_fill",
          purpose: "A letter.",
          stage: "review",
          generated: true,
          last_generated: timestamp,
          versions_available: 2,
          output_format: "text",
        },
      ],
      duration_ms: 1,
    });
  });

  it.each([
    ["no JSON", "{", null],
    ["another type", '{"type":"artifact"}', null],
    ["nothing but its type", '{"type":"content"}', "jinja2"],
    ["members of other types", '{"type":"content","metadata":[],"elements":5,"generation":{"patterns":7}}', "jinja2"],
    ["a null for a pattern", '{"type":"content","elements":[null],"generation":{"patterns":[null]}}', "jinja2"],
    ["a generator that there is not", '{"type":"content","generation":{"patterns":[{"type":"nope"}]}}', "nope"],
    ["an example", '{"type":"content","elements":[{"example_output":1}]}', "demonstration"],
  ])("shows a config with %s too", async (_what, text, generator) => {
    const test = openBench();
    await test.save("content", "whole", contentConfig());
    breakContent(test, "torn", text);
    const { content } = await list(test);
    expect(idsOf(content)).toEqual(["torn", "whole"]);
    expect(content[0]).toEqual({
      id: "torn",
      title: null,
      generator_type: generator,
      purpose: null,
      stage: null,
      generated: false,
      last_generated: null,
      versions_available: 0,
      output_format: null,
    });
  });

  it("counts no drafts", async () => {
    const test = openBench();
    const { draft_id } = await test.bench.drafts.create({ config_type: "content", config_data: contentConfig() });
    await test.bench.versions.add(newVersion(draft_id, "1"));
    expect(await list(test)).toMatchObject({ total: 0, content: [] });
  });

  const openThree = async (): Promise<TestBench> => {
    const test = openBench();
    const titled = (title: string) => ({ metadata: { title, description: "x", version: "1.0.0" } });
    await test.save("content", "a", patternConfig({ type: "template_fill" }, titled("zoo")));
    await test.save(
      "content",
      "b",
      patternConfig({ type: "jinja2" }, { ...titled("Ape"), evolution: { stage: "draft" } }),
    );
    await test.save("content", "c", patternConfig({ type: "demonstration" }, titled("bee")));
    for (const [day, id] of ["b", "c", "a"].entries())
      utimesSync(join(test.root, `configs/content/${id}/${id}-content.json`), day, day);
    await test.bench.versions.add(newVersion("b", "1"));
    return test;
  };

  it.each([
    [{ sort: "id" }, ["a", "b", "c"]],
    [{ sort: "title" }, ["b", "c", "a"]],
    [{ sort: "generator" }, ["c", "b", "a"]],
    [{ sort: "modified" }, ["a", "c", "b"]],
    [{ filter: { generated: true } }, ["b"]],
    [{ filter: { generated: false } }, ["a", "c"]],
    [{ filter: { generator_type: "template_fill" } }, ["a"]],
    [{ filter: { stage: "draft", generated: true } }, ["b"]],
    [{ filter: { stage: "approved" } }, []],
  ])("sorts and filters as %j says", async (args, ids) => {
    const answer = await list(await openThree(), args);
    expect(idsOf(answer.content)).toEqual(ids);
    expect(answer).toMatchObject({ total: ids.length, returned: ids.length });
  });

  it("shows so many, and counts all that match", async () => {
    expect(await list(await openThree(), { limit: 2, filter: {} })).toMatchObject({ total: 3, returned: 2 });
  });

  it.each([
    { limit: 0 },
    { limit: 501 },
    { limit: 1.5 },
    { sort: "size" },
    { filter: { stage: "done" } },
    { filter: { x: 1 } },
  ])("does not take %j", (args) => {
    expect(isValidInput(listContentTool(openBench().bench), args)).toBe(false);
  });
});

describe("list_artifacts", () => {
  const AT = "2026-01-01T00:00:00.000Z";
  const assembled: Readonly<Record<string, string>> = { book: AT, report: "2026-01-02T00:00:00.000Z" };
  const list = ({ bench }: TestBench, args: Args = {}) =>
    callTool(listArtifactsTool(bench, { lastAssembled: (id) => Promise.resolve(assembled[id] ?? null) }), args);

  it("shows each saved config with when it was assembled", async () => {
    const test = openBench();
    await test.save("artifact", "book", artifactConfig([{ id: "a" }, { id: "b" }], { type: "report" }));
    expect((await list(test)).artifacts).toEqual([
      {
        id: "book",
        title: "Book",
        type: "report",
        stage: null,
        purpose: "To be read.",
        dependencies: ["a", "b"],
        assembled: true,
        last_assembled: AT,
        output_file: "book.md",
        composition_strategy: "concat",
      },
    ]);
  });

  it.each(["{", '{"type":"artifact","metadata":{"outputs":[5]},"content":{"children":[null,{"id":3}]}}'])(
    "shows one that is not valid too: %s",
    async (text) => {
      const test = openBench();
      await test.save("artifact", "whole", artifactConfig([{ id: "a" }]));
      writeFileSync(join(test.root, "configs/artifacts/torn-artifact.json"), text);
      const { artifacts } = await list(test);
      expect(idsOf(artifacts)).toEqual(["torn", "whole"]);
      expect(artifacts[0]).toMatchObject({ title: null, dependencies: [], assembled: false, output_file: null });
    },
  );

  it.each([
    [{ sort: "assembled" }, ["report", "book", "atlas"]],
    [{ sort: "title" }, ["report", "book", "atlas"]],
    [{ sort: "modified" }, ["atlas", "report", "book"]],
    [{ filter: { assembled: true } }, ["book", "report"]],
    [{ filter: { assembled: false } }, ["atlas"]],
    [{ filter: { type: "code" } }, ["atlas"]],
    [{ filter: { stage: "approved" } }, ["book"]],
    [{ limit: 1 }, ["atlas"]],
  ])("sorts and filters as %j says", async (args, ids) => {
    const test = openBench();
    await test.save("artifact", "atlas", artifactConfig([{ id: "a" }], { title: "Z", type: "code" }));
    await test.save("artifact", "book", {
      ...artifactConfig([{ id: "a" }], { title: "Y" }),
      evolution: { stage: "approved" },
    });
    await test.save("artifact", "report", artifactConfig([{ id: "a" }], { title: "X" }));
    for (const [day, id] of ["book", "report", "atlas"].entries())
      utimesSync(join(test.root, `configs/artifacts/${id}-artifact.json`), day, day);
    expect(idsOf((await list(test, args)).artifacts)).toEqual(ids);
  });
});
