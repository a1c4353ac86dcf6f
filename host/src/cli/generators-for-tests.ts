/** For tests of the commands about generators: a host on the wire that has some, and answers the calls of a trial. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHostWire, type HostWire } from "./host-wire-for-tests.ts";

type Reply = readonly [status: number, body: object];

export interface GeneratorWire extends HostWire {
  /** What each tool answers, by its flat name. */
  readonly tools: Map<string, Reply>;
  /** As at the beginning. */
  reset(): void;
  /** The arguments that a tool of compose was called with. */
  argsOf(tool: string): any;
  /** The tools that were called. */
  called(): readonly string[];
  /** Writes a file where the command runs. */
  put(name: string, value: object | string): string;
}

export const DOCUMENT_AT = "GET /v1/capabilities/generators";

export const entry = (type: string, more: object = {}): object => ({
  type,
  version: "1.0.0",
  source: "builtin",
  status: "stable",
  requirements: { fields: [], dependencies: [], env_vars: [] },
  availability: { status: "available" },
  ...more,
});

const DOCUMENT = {
  generators: {
    template_fill: entry("template_fill"),
    code_generation: entry("code_generation", {
      availability: { status: "unavailable", reason: "Missing credential: API_KEY", missing: ["API_KEY"] },
    }),
    changelog: entry("changelog", {
      version: "2.1.0\u001B[2J",
      source: "plugin",
      status: "experimental",
      requirements: { fields: ["generation.patterns[0].template", "context.entries\u001B[2J"] },
    }),
    old: entry("old", { availability: { status: "unavailable", reason: "no type stripping" } }),
  },
  metadata: {
    rejected: [{ plugin_path: "bad.generator.mjs", reason_code: "load_failed", message: "It threw \u001B[2J: no." }],
  },
};

export const DRAFT = { success: true, draft_id: "draft-20260101T000000-abcdef", warnings: [], duration_ms: 1 };
export const TRIAL = {
  success: true,
  preview_content: "Dear Ada,\u001B[31m\r\nhello",
  content_length: 18,
  generator_used: "template_fill",
  selection_rule: "explicit_type",
  validation_issues: [],
  estimated_cost: null,
  duration_ms: 2,
};

export const said = (structuredContent: object, isError = false): Reply => [
  200,
  { content: [{ type: "text", text: "as JSON" }], structuredContent, isError },
];

export const failed = (code: string, message: string, details: object = {}): Reply =>
  said({ success: false, error: { code, message, details } }, true);

export const openGeneratorWire = async (): Promise<GeneratorWire> => {
  const wire = await openHostWire();
  const tools: GeneratorWire["tools"] = new Map();
  wire.says.set("POST /v1/tools/call", () => tools.get(wire.asked.at(-1)?.body.name) ?? [500, {}]);
  return {
    ...wire,
    tools,
    reset: () => {
      wire.asked.length = 0;
      wire.says.set(DOCUMENT_AT, [200, DOCUMENT]);
      tools.clear();
      tools.set("compose__draft_config", said(DRAFT)).set("compose__test_config", said(TRIAL));
    },
    argsOf: (tool) => wire.asked.find(({ body }) => body?.name === `compose__${tool}`)?.body.arguments,
    called: () => wire.asked.flatMap(({ body }) => (body === null ? [] : [body.name as string])),
    put: (name, value) => {
      const file = join(wire.dir, name);
      writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
      return file;
    },
  };
};
