import { describe, expect, it } from "vitest";
import { codesOf, readTools } from "./packages-for-tests.ts";
import { listTool } from "./list-tool.ts";

/** One entry with these further lines. */
const entry = (...lines: string[]): string =>
  ["tools:", "  - name: run", ...lines.map((line) => `    ${line}`)].join("\n");

const toolWith = async (...lines: string[]) => {
  const { tools, diagnostics } = await readTools(entry(...lines));
  return { tool: tools[0], diagnostics };
};

const PLAIN = { name: "pkg", digest: "sha256:0", searchAliases: [] };

describe("an entry of tools.yaml", () => {
  it("is served with what it says, in the words of MCP", async () => {
    const { tools, diagnostics } = await readTools(`tools:
  - name: import_usd
    description: Import a USD stage into the scene
    input_schema:
      type: object
      properties: {path: {type: string, format: workspace-path}}
      required: [path]
    output_schema: {properties: {prims: {type: integer}}}
    required_capabilities: [usd, scene.mutate, usd, filesystem.read]
    annotations: {title: Import, read-only-hint: false, destructive_hint: true, idempotentHint: false, openWorldHint: false}
    source_file: scripts/run.mjs
    execution: async
    timeout_hint_secs: 600
    thread-affinity: main
    risk: host_script_execution
    side_effects: [writes the scene]
    call_examples: [{arguments: {path: a.usd}, note: One file.}]
    search_aliases: [usd import, stage]
    next-tools: {on-success: [read_stage], on-failure: [ping]}
    produces: [stage]
    requires: scene
    intent: import
    tool_role: mutator
`);
    expect(diagnostics).toEqual([]);
    const [tool] = tools;
    expect(tool).toMatchObject({
      script: "scripts/run.mjs",
      kind: "node",
      affinity: "main",
      timeoutS: 600,
      risk: "high",
    });
    const listed =
      tool && listTool({ name: "maya", digest: "sha256:0", searchAliases: ["stage", "scene files"] }, tool);
    expect(listed?.riskFloor).toBe("high");
    expect(listed?.value).toEqual({
      name: "import_usd",
      title: "Import",
      description: "Import a USD stage into the scene",
      inputSchema: {
        type: "object",
        properties: { path: { type: "string", format: "workspace-path" } },
        required: ["path"],
      },
      outputSchema: { type: "object", properties: { prims: { type: "integer" } } },
      annotations: {
        title: "Import",
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
      execution: { taskSupport: "optional" },
      _meta: {
        dcc: {
          required_capabilities: ["usd", "scene.mutate", "usd", "filesystem.read"],
          timeoutHintSecs: 600,
          searchAliases: ["usd import", "stage", "scene files"],
          next_tools: { on_success: ["read_stage"], on_failure: ["ping"] },
        },
      },
    });
    expect(listed?.carried).toEqual({
      side_effects: ["writes the scene"],
      call_examples: [{ arguments: { path: "a.usd" }, note: "One file." }],
      produces: ["stage"],
      requires: "scene",
      intent: "import",
      tool_role: "mutator",
    });
    expect(JSON.parse(listed?.json ?? "")).toEqual(listed?.value);
  });

  it("that is a name alone has defaults, and says that its schema is incomplete", async () => {
    const { tools, diagnostics } = await readTools("tools: [run]\n");
    expect(diagnostics).toEqual([]);
    const [tool] = tools;
    expect(tool).toMatchObject({ execution: "sync", timeoutS: 60, affinity: "any", risk: null, annotations: null });
    expect(tool && listTool(PLAIN, tool).value).toMatchObject({
      name: "run",
      inputSchema: { type: "object" },
      _meta: { dcc: { timeoutHintSecs: 60, incompleteSchema: true, schemaHint: expect.stringContaining("run") } },
    });
    expect(tool && listTool(PLAIN, tool)).not.toHaveProperty("riskFloor");
    expect(tool && listTool(PLAIN, tool)).not.toHaveProperty("carried");
  });

  it.each<[string[], object]>([
    [["required-capabilities: [usd]"], { required: ["usd"] }],
    [["required_capabilities: null"], { required: [] }],
    [["required_capabilities:"], { required: [] }],
    [["affinity: main"], { affinity: "main" }],
    [["thread_affinity: main"], { affinity: "main" }],
    [["next_tools: {on_success: [a]}"], { nextTools: { onSuccess: ["a"], onFailure: [] } }],
    [["read_only: true"], { readOnly: true, annotations: { readOnlyHint: true } }],
    [["destructive: false", "idempotent: true"], { annotations: { destructiveHint: false, idempotentHint: true } }],
    [["read_only: true", "annotations: {title: T}"], { readOnly: false, annotations: { title: "T" } }],
    [["annotations: {readOnlyHint: true}"], { readOnly: true }],
    [["annotations: {}", "read_only: true"], { readOnly: false, annotations: {} }],
    [["search_aliases: a b, c"], { searchAliases: ["a b", "c"] }],
    [["risk: critical"], { risk: "critical" }],
    [["timeout_hint_secs: 1"], { timeoutS: 1 }],
    [["execution: sync"], { execution: "sync" }],
    [["group: g"], { groups: ["g"] }],
    [["input_schema: {$schema: 'http://json-schema.org/draft-07/schema#'}"], { incompleteSchema: false }],
  ])("may have %j", async (lines, expected) => {
    const { tool, diagnostics } = await toolWith(...lines);
    expect(diagnostics).toEqual([]);
    expect(tool).toMatchObject(expected);
  });

  it.each<[string, string]>([
    ["description: 5", "/description"],
    ["input_schema: []", "/input_schema"],
    ["input_schema: {type: strin}", "/input_schema"],
    ["input_schema: {type: array}", "/input_schema"],
    ["input_schema: {$ref: 'https://example.invalid/x'}", "/input_schema"],
    ["input_schema: {properties: {a: {pattern: '(?=x)'}}}", "/input_schema"],
    ["input_schema: {$async: true}", "/input_schema"],
    ["output_schema: text", "/output_schema"],
    ["output_schema: {properties: 1}", "/output_schema"],
    ["required_capabilities: usd", "/required_capabilities"],
    ["required_capabilities: [usd, 5]", "/required_capabilities"],
    ["required-capabilities: {usd: true}", "/required-capabilities"],
    ['read_only: "yes"', "/read_only"],
    ["destructive: 1", "/destructive"],
    ["idempotent: no", "/idempotent"],
    ["annotations: [title]", "/annotations"],
    ["annotations: {title: 5}", "/annotations/title"],
    ["annotations: {read_only_hint: maybe}", "/annotations/read_only_hint"],
    ["annotations: {readOnlyHint: true, read_only_hint: false}", "/annotations/read_only_hint"],
    ["source_file: 5", "/source_file"],
    ["source_file: scripts/none.mjs", "/source_file"],
    ["source_file: scripts", "/source_file"],
    ["execution: later", "/execution"],
    ["timeout_hint_secs: 0", "/timeout_hint_secs"],
    ["timeout_hint_secs: 601", "/timeout_hint_secs"],
    ["timeout_hint_secs: 1.5", "/timeout_hint_secs"],
    ['timeout_hint_secs: "60"', "/timeout_hint_secs"],
    ["thread-affinity: gui", "/thread-affinity"],
    ["affinity: true", "/affinity"],
    ["group: [a]", "/group"],
    ["risk: huge", "/risk"],
    ["side_effects: 5", "/side_effects"],
    ["call_examples: {a: 1}", "/call_examples"],
    ["call_examples: [{arguments: [1]}]", "/call_examples"],
    ["search_aliases: {a: 1}", "/search_aliases"],
    ["next-tools: [a]", "/next-tools"],
    ["next-tools: {on-success: a}", "/next-tools/on-success"],
    ["produces: 5", "/produces"],
    ["requires: [5]", "/requires"],
    ["intent: [a]", "/intent"],
    ["tool_role: 5", "/tool_role"],
    ["deferred: true", "/deferred"],
    ["deferred: null", "/deferred"],
  ])("is not served with %s, and the place is named", async (line, pointer) => {
    const { tool, diagnostics } = await toolWith("# the next line is wrong", line);
    expect(tool).toBeUndefined();
    expect(diagnostics).toMatchObject([
      { reason_code: "invalid_tool", package: "pkg", tool: "run", pointer: `tools.yaml#/tools/0${pointer}`, line: 4 },
    ]);
    expect(diagnostics[0]?.suggested_fix).toMatch(/\.$/);
  });

  it("with two spellings of one key is not served", async () => {
    const { tool, diagnostics } = await toolWith("required_capabilities: []", "required-capabilities: [usd]");
    expect(tool).toBeUndefined();
    expect(diagnostics).toMatchObject([{ pointer: "tools.yaml#/tools/0/required-capabilities", line: 4 }]);
  });

  it.each<[string, string]>([
    ["inputSchema: {type: object}", "input_schema"],
    ["outputSchema: {}", "output_schema"],
    ["requiredCapabilities: [usd]", "required_capabilities"],
    ["time_hint_secs: 5", "timeout_hint_secs"],
    ["title: T", "annotations.title"],
    ["annotations: {readOnly: true}", "readOnlyHint"],
  ])("with the unknown key %s is served, and what was meant is asked", async (line, near) => {
    const { tool, diagnostics } = await toolWith(line);
    expect(tool).toBeDefined();
    expect(codesOf(diagnostics)).toEqual(["invalid_tool (warning)"]);
    expect(diagnostics[0]?.message).toContain(`did you mean ${near}?`);
  });

  it("may have a name and members of every object, and nothing comes of it", async () => {
    const { tool, diagnostics } = await toolWith("__proto__: {name: x}", "constructor: 1", "toString: 1");
    expect(tool?.name).toBe("run");
    expect(codesOf(diagnostics)).toEqual(Array(3).fill("invalid_tool (warning)"));
  });

  it.each(["", "a b", "a.b", "x".repeat(65), "ä", "../a", "a\u0000"])("is not named %j", async (name) => {
    const { tools, diagnostics } = await readTools(`tools:\n  - name: ${JSON.stringify(name)}\n  - run\n`);
    expect(tools.map((tool) => tool.name)).toEqual(["run"]);
    expect(diagnostics).toMatchObject([{ reason_code: "invalid_tool", pointer: "tools.yaml#/tools/0/name", line: 2 }]);
  });

  it.each(["5", "null", "[a]", "{}", "{description: x}"])("is neither a name nor a tool: %s", async (text) => {
    const { tools, diagnostics } = await readTools(`tools:\n  - ${text}\n  - run\n`);
    expect(tools.map((tool) => tool.name)).toEqual(["run"]);
    expect(diagnostics).toMatchObject([{ reason_code: "invalid_tool", pointer: "tools.yaml#/tools/0", line: 2 }]);
    expect(diagnostics[0]).not.toHaveProperty("tool");
  });
});
