import { describe, expect, it } from "vitest";
import { composeFamilies } from "./compose-families.ts";
import { disagreements, type ReadDocuments } from "./disagreements-for-tests.ts";
import { describedTool, GENERATORS, SERVER, VERSION } from "./documents-for-tests.ts";
import { generatorsDocument } from "./generators-document.ts";
import { overviewDocument } from "./overview-document.ts";
import { resourcesDocument } from "./resources-document.ts";
import { serverDocument } from "./server-document.ts";
import { ToolsReader } from "./tools-reader.ts";
import { CallTimes } from "./call-times.ts";

const there = {
  contentConfigs: ["a"],
  artifactConfigs: [],
  schemas: ["content"],
  contents: [],
  generators: ["jinja2"],
};
const tools = [
  describedTool(),
  describedTool({ name: "two", outputSchema: { type: "object" } }),
  { ...describedTool({ name: "three" }), category: "query" as const },
];

const documents = (): any => {
  const families = composeFamilies(there);
  const reader = new ToolsReader({ times: new CallTimes(), version: VERSION, describe: () => tools });
  const counts = { tools: 3, resources: families.length, generators: GENERATORS.length };
  const made: ReadDocuments = {
    overview: overviewDocument({ name: "b", version: VERSION, surfaceVersion: "s", counts: { ...counts, skills: 0 } }),
    server: serverDocument({ ...SERVER, counts }),
    tools: JSON.parse(reader.read({}).text),
    resources: resourcesDocument(families, VERSION),
    generators: generatorsDocument({ generators: GENERATORS, rejected: [], version: VERSION }),
    listed: tools.map(({ name, tool }) => Object.assign({}, tool.value, { name })),
  };
  return JSON.parse(JSON.stringify(made));
};

describe("the capability documents", () => {
  it("agree about everything that they are made from", () => {
    expect(disagreements(documents())).toEqual([]);
  });

  it.each<[string, (read: any) => void]>([
    ["a tool that is listed and not shown", ({ tools: { tools_by_category } }) => delete tools_by_category.query],
    ["a count of tools", ({ server }) => server.tool_count++],
    ["a total", ({ tools: { metadata } }) => metadata.total_count++],
    ["a category that has nothing", ({ tools: { tools_by_category } }) => (tools_by_category.batch = [])],
    ["a category", ({ tools: { tools_by_category } }) => (tools_by_category.query[0].category = "batch")],
    ["an input schema", ({ listed }) => (listed[0].inputSchema = {})],
    ["an output schema", ({ listed }) => delete listed[1].outputSchema],
    ["a count of resources", ({ server }) => server.resource_count--],
    ["an example", ({ resources }) => resources.resources.config.examples.push("other://x")],
    ["a count of generators", ({ server }) => server.generator_count++],
    ["what is built in", ({ generators: { generators } }) => (generators.jinja2.source = "plugin")],
    ["the fallback", ({ generators }) => (generators.selection_strategy.fallback = "none")],
    ["a version", ({ resources }) => (resources.metadata.version = "0")],
    ["a count of the overview", ({ overview }) => overview.entries[1].count++],
  ])("are found out when they disagree about %s", (_, change) => {
    const read = documents();
    change(read);
    expect(disagreements(read)).not.toEqual([]);
  });
});
