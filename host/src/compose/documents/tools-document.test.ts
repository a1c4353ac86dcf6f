import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallTimes } from "./call-times.ts";
import { describedTool, VERSION } from "./documents-for-tests.ts";
import { TOOL_CATEGORIES } from "./tool-categories.ts";
import { ToolEntries } from "./tool-entries.ts";
import { toolEntry, type DescribedTool } from "./tool-entry.ts";
import { toolsDocument } from "./tools-document.ts";
import { ToolsReader } from "./tools-reader.ts";
import { TOOLS_SCHEMA } from "./tools-schema.ts";

const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(TOOLS_SCHEMA);

const documentOf = (tools: readonly DescribedTool[]): any => {
  const entries = tools.map(toolEntry);
  const { text, escaped } = toolsDocument({
    entries,
    typicals: entries.map(({ typical }) => typical),
    version: VERSION,
  });
  expect(JSON.parse(`"${escaped}"`)).toBe(text);
  const document = JSON.parse(text);
  validate(document);
  expect(validate.errors).toBe(null);
  return document;
};

const generateContent: DescribedTool = {
  ...describedTool({
    name: "generate_content",
    title: "Generate content",
    description: "Generates a text from a config.",
    inputSchema: { type: "object", properties: { content_config_id: { type: "string" } } },
    outputSchema: { type: "object", required: ["success"] },
    annotations: { readOnlyHint: false },
  }),
  name: "generate_content",
  flatName: "compose__generate_content",
  category: "content",
  provider: "compose",
  required: ["usd", "maya"],
  missing: ["usd"],
  lifecycle: { state: "unavailable", reason: "Nobody declares usd.", next: "Declare it." },
  risk: "medium",
  approvalRequired: true,
  timeoutMs: 30_000,
  guide: {
    examples: [{ input: { content_config_id: "intro" }, description: "The text of intro." }],
    common_errors: [{ code: "config_not_found", message: "There is no such config." }],
    typical_ms: "500-2000",
  },
};

describe("capabilities://tools", () => {
  it("shows a tool with the keys of the format, then those of this host", () => {
    const document = documentOf([generateContent]);
    const [tool] = document.tools_by_category.content;
    expect(JSON.stringify(tool)).toBe(
      JSON.stringify({
        name: "generate_content",
        category: "content",
        description: "Generates a text from a config.",
        version: "0.1.0",
        input_schema: { type: "object", properties: { content_config_id: { type: "string" } } },
        output_schema: { type: "object", required: ["success"] },
        examples: [{ input: { content_config_id: "intro" }, description: "The text of intro." }],
        common_errors: [{ code: "config_not_found", message: "There is no such config." }],
        performance: { typical_ms: "500-2000", timeout_ms: "30000" },
        provider: "compose",
        title: "Generate content",
        annotations: { readOnlyHint: false },
        lifecycle: { state: "unavailable", reason: "Nobody declares usd.", next: "Declare it." },
        required_capabilities: ["usd", "maya"],
        missing_capabilities: ["usd"],
        risk_tier: "medium",
        approval_required: true,
      }),
    );
    expect(Object.keys(document)).toEqual(["tools_by_category", "metadata"]);
    expect(document.metadata).toEqual({ total_count: 1, version: VERSION });
  });

  it("says of a tool that says little nothing that is not known", () => {
    const [tool] = documentOf([describedTool({ description: undefined })]).tools_by_category.bundle;
    expect(tool).toMatchObject({
      description: "",
      output_schema: {},
      examples: [],
      common_errors: [],
      annotations: {},
    });
    expect(tool.performance).toEqual({ typical_ms: "unknown", timeout_ms: "60000" });
    expect(tool.lifecycle).toEqual({ state: "invokable" });
    expect(Object.keys(tool)).not.toContain("title");
  });

  it("files tools in the order of the format and leaves empty categories out", () => {
    const categories = ["bundle", "content", "host", "batch", "content"] as const;
    const document = documentOf(
      categories.map((category, at) => Object.assign(describedTool({ name: `t${at}` }), { category })),
    );
    expect(Object.keys(document.tools_by_category)).toEqual(["content", "batch", "host", "bundle"]);
    expect(document.tools_by_category.content.map(({ name }: any) => name)).toEqual(["demo__t1", "demo__t4"]);
    expect(documentOf([])).toEqual({ tools_by_category: {}, metadata: { total_count: 0, version: VERSION } });
    expect(TOOL_CATEGORIES).toHaveLength(10);
  });

  it("gives the schemas out as they were written, whatever is in them", () => {
    const big = describedTool();
    const json = '{"name":"echo","inputSchema":{"type":"object","maximum":12345678901234567890,"__proto__":{}}}' as any;
    const { head } = toolEntry({ ...big, tool: { ...big.tool, json } });
    expect(head).toContain('"input_schema":{"type":"object","maximum":12345678901234567890,"__proto__":{}},');
  });

  it("is whole JSON whatever a bundle calls its tools and says of them", () => {
    const text = fc.string({ unit: "binary", maxLength: 30 });
    fc.assert(
      fc.property(text, text, text, text, (name, description, title, reason) => {
        const tool = {
          ...describedTool({ name, description, title }),
          name,
          lifecycle: { state: "disabled", reason, next: null } as const,
        };
        const [shown] = documentOf([tool]).tools_by_category.bundle;
        expect(shown).toMatchObject({ name, description, title, lifecycle: { reason } });
      }),
      { numRuns: 100 },
    );
  });
});

describe("entries of tools", () => {
  it("are written once for all that show the same, and anew for whatever shows otherwise", () => {
    const entries = new ToolEntries();
    const first = entries.of(generateContent);
    expect(entries.of({ ...generateContent, required: ["usd", "maya"] })).toBe(first);
    const others: readonly Partial<DescribedTool>[] = [
      { name: "compose__generate_content" },
      { tool: describedTool({ name: "generate_content", description: "Otherwise." }).tool },
      { lifecycle: { ...generateContent.lifecycle, reason: null } },
      { missing: [] },
      { risk: "high" },
      { approvalRequired: false },
      { timeoutMs: 1 },
      { version: "0.1.1" },
      { guide: { ...generateContent.guide!, typical_ms: "1-2" } },
      { category: "batch" },
      { provider: "other" },
      { flatName: "other__generate_content" },
    ];
    const written = others.map((other) => entries.of({ ...generateContent, ...other }));
    expect(new Set([first, ...written]).size).toBe(others.length + 1);
  });

  it("are forgotten when there are too many, those that were used last at the end", () => {
    const size = toolEntry(describedTool()).escapedHead.length + toolEntry(describedTool()).escapedTail.length;
    const entries = new ToolEntries(size * 3);
    const used = entries.of(describedTool());
    const left = entries.of(describedTool({ name: "left" }));
    for (let at = 0; at < 20; at++) {
      entries.of(describedTool({ name: `t${at}` }));
      expect(entries.of(describedTool())).toBe(used);
    }
    expect(entries.of(describedTool({ name: "left" }))).not.toBe(left);
  });
});

describe("reading capabilities://tools again and again", () => {
  const surface = {};
  const tools = [generateContent, describedTool()];
  const open = () => {
    const times = new CallTimes();
    let described = 0;
    const reader = new ToolsReader({ times, version: VERSION, describe: () => (described++, tools) });
    return { times, reader, described: () => described };
  };
  const typicals = (text: string) =>
    Object.values<any>(JSON.parse(text).tools_by_category).flatMap((all) =>
      all.map((t: any) => t.performance.typical_ms),
    );

  it("makes it once for a surface, until a typical time is another", () => {
    const { times, reader, described } = open();
    const first = reader.read(surface);
    expect(reader.read(surface)).toBe(first);
    expect(typicals(first.text)).toEqual(["500-2000", "unknown"]);
    for (let at = 0; at < 20; at++) times.note("compose__generate_content", 3);
    const second = reader.read(surface);
    expect(typicals(second.text)).toEqual(["3-3", "unknown"]);
    times.note("compose__generate_content", 3);
    expect(reader.read(surface)).toBe(second);
    expect(described()).toBe(1);
    expect(reader.count({})).toBe(2);
    expect(described()).toBe(2);
  });

  it("cuts it to one provider, with a count of its own", () => {
    const { reader } = open();
    const document = JSON.parse(reader.readPart(surface, "compose").text);
    expect(Object.keys(document.tools_by_category)).toEqual(["content"]);
    expect(document.metadata.total_count).toBe(1);
    expect(JSON.parse(reader.readPart(surface, "nobody").text).metadata.total_count).toBe(0);
    expect(reader.readPart(surface, "compose")).toBe(reader.readPart(surface, "compose"));
  });
});
