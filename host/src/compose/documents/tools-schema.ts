/** `schema://capabilities-tools`: JSON Schema 2020-12 of `capabilities://tools`. */
import { RISK_TIERS } from "../../kernel/risk-tier.ts";
import { ANY_OBJECT, COUNT, DIALECT, FLAG, TEXT, TEXTS, list, record } from "./schema-pieces.ts";
import { TOOL_CATEGORIES, type ToolCategory } from "./tool-categories.ts";

/** A range or a bound in ms, or that nobody knows yet. */
const TYPICAL = { type: "string", pattern: "^(<?[0-9]+(-[0-9]+)?|unknown)$" } as const;
/** None: nothing ends a call but its caller. */
const LIMIT = { type: "string", pattern: "^([0-9]+|none)$" } as const;

const tool = (category: ToolCategory): object =>
  record(
    {
      name: TEXT,
      category: { const: category },
      description: TEXT,
      version: TEXT,
      input_schema: ANY_OBJECT,
      output_schema: ANY_OBJECT,
      examples: list(record({ description: TEXT }, { input: ANY_OBJECT })),
      common_errors: list(record({ code: TEXT, message: TEXT })),
      performance: record({ typical_ms: TYPICAL, timeout_ms: LIMIT }),
    },
    {
      provider: TEXT,
      title: TEXT,
      annotations: ANY_OBJECT,
      lifecycle: record({ state: TEXT }, { reason: TEXT, next: TEXT }),
      required_capabilities: TEXTS,
      missing_capabilities: TEXTS,
      risk_tier: { enum: RISK_TIERS },
      approval_required: FLAG,
    },
  );

export const TOOLS_SCHEMA = {
  $schema: DIALECT,
  $id: "schema://capabilities-tools",
  title: "What a server's tools are",
  ...record({
    tools_by_category: {
      type: "object",
      properties: Object.fromEntries(
        TOOL_CATEGORIES.map((category) => [category, { type: "array", minItems: 1, items: tool(category) }]),
      ),
      additionalProperties: false,
    },
    metadata: record({ total_count: COUNT, version: TEXT }),
  }),
};
