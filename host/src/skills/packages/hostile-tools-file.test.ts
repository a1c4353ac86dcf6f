import { describe, expect, it } from "vitest";
import { codesOf, packageFiles, readOne, readTools } from "./packages-for-tests.ts";

const properties = (count: number, each: string): string =>
  `{${Array.from({ length: count }, (_, i) => `p${i}: ${each}`).join(", ")}}`;

describe("a tools.yaml that was made to hold up the host", () => {
  it("is read in time with a fault in each of nearly two hundred thousand entries", async () => {
    const { tools, diagnostics } = await readTools(`tools: [${".inf,".repeat(199_000)}]\n`);
    expect(tools).toEqual([]);
    expect(diagnostics).toHaveLength(200);
  });

  it("has a schema that many tools share checked once", async () => {
    const large = `&large {properties: ${properties(90, `{properties: ${properties(30, "{type: string}")}}`)}}`;
    const entries = Array.from({ length: 60 }, (_, i) => `  - {name: t${i}, input_schema: *large}\n`);
    const text = `tools:\n  - {name: run, input_schema: ${large}}\n${entries.join("")}`;
    const { tools, diagnostics } = await readTools(text);
    expect(diagnostics).toEqual([]);
    expect(tools).toHaveLength(61);
  });

  it.each<[string, string]>([
    ["parts", `{properties: ${properties(30, `{properties: ${properties(30, "{type: string}")}}`)}}`],
    ["patterns", `{properties: ${properties(20, `{pattern: "a{1000}"}`)}}`],
    ["keys", `{patternProperties: {"(abcdefgh{10}){100}": {type: string}}}`],
  ])("has only so many schemas checked, and the others are told: %s", async (_, schema) => {
    const entries = Array.from({ length: 33 }, (__, i) => `  - {name: t${i}, input_schema: ${schema}}\n`);
    const { tools, diagnostics } = await readTools(`tools:\n${entries.join("")}  - last\n`);
    expect(tools.length).toBeGreaterThan(1);
    expect(tools.length).toBeLessThan(34);
    expect(tools.at(-1)?.name).toBe("last");
    expect(codesOf(diagnostics)).toEqual(Array(34 - tools.length).fill("invalid_tool"));
    expect(diagnostics[0]?.message).toContain("split the package");
  });

  it("lets others have their turn between two schemas", async () => {
    const entries = Array.from({ length: 20 }, (_, i) => `  - {name: t${i}, input_schema: {title: T${i}}}\n`);
    const ticks: number[] = [];
    const timer = setInterval(() => ticks.push(1), 0);
    await readTools(`tools:\n${entries.join("")}`);
    clearInterval(timer);
    expect(ticks.length).toBeGreaterThan(0);
  });
});

describe("a schema", () => {
  it.each<[string, RegExp]>([
    ["{properties: {a: {$id: part, type: string}, b: {format: workspace-path}}}", /own parts only/],
    ["{properties: {a: {$ref: 'other#/x'}, b: {format: workspace-path}}}", /own parts only/],
    ["{properties: {a: {maximum: 9007199254740993}}}", /2\^53/],
    ["{properties: {a: {minimum: -18446744073709551615}}}", /2\^53/],
    ["{properties: {a: {const: 0xFFFFFFFFFFFFFFFF}}}", /2\^53/],
    ["{properties: {a: {const: 9007199254740993.0}}}", /2\^53/],
  ])("that calls would be checked against otherwise is not served: %s", async (schema, reason) => {
    const { tools, diagnostics } = await readTools(`tools:\n  - run\n  - {name: b, input_schema: ${schema}}\n`);
    expect(tools.map(({ name }) => name)).toEqual(["run"]);
    expect(diagnostics).toMatchObject([{ reason_code: "invalid_tool", tool: "b", line: 3 }]);
    expect(diagnostics[0]?.message).toMatch(reason);
  });

  it("may have large numbers that stay what they are", async () => {
    const schema = "{properties: {a: {maximum: 1e20, minimum: -9007199254740991, multipleOf: 0.5}}}";
    const { tools, diagnostics } = await readTools(`tools:\n  - {name: run, input_schema: ${schema}}\n`);
    expect(diagnostics).toEqual([]);
    expect(tools[0]?.inputSchema["properties"]).toEqual({
      a: { maximum: 1e20, minimum: -9_007_199_254_740_991, multipleOf: 0.5 },
    });
  });
});

describe("a tag that means nothing", () => {
  it.each<[string, string, number]>([
    ["a whole file", "tools:\n  - name: run\n    description: !secret x\n", 3],
    ["an entry by itself", 'tools:\n  - name: run\n    description: !secret x\n  - name: "b\n', 3],
  ])("is told with its line, and what has it is taken as it is: %s", async (_, text, line) => {
    const { tools, diagnostics } = await readTools(text);
    expect(tools.map(({ description }) => description)).toEqual(["x"]);
    expect(diagnostics.find(({ warning }) => warning)).toMatchObject({
      line,
      message: expect.stringContaining("!secret"),
    });
  });

  it("is told of SKILL.md too, as is a number that would be rounded", async () => {
    const front = "---\nname: pkg\ndescription: !secret x\nmetadata:\n  id: 12345678901234567890\n";
    const block = "  dcc-mcp:\n    tools: tools.yaml\n---\n";
    const found = await readOne({ ...packageFiles("pkg", "tools: [run]\n"), "SKILL.md": front + block });
    expect(found).toMatchObject({ usable: true, description: "x" });
    expect(found.diagnostics.map(({ line, warning }) => [line, warning])).toEqual([
      [5, true],
      [3, true],
    ]);
  });
});
