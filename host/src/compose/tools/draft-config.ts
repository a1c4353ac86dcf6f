/** `draft_config`: keeps a config as a draft, if nothing is wrong with it. */
import { ComposeError } from "../compose-error.ts";
import type { ConfigType } from "../configs/config-types.ts";
import { described } from "../keep/described.ts";
import { shownPath } from "../keep/shown-path.ts";
import { tellViolations } from "../keep/tell-violations.ts";
import { WARNINGS } from "../keep/warnings-schema.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

type Args = {
  readonly config_type: ConfigType;
  readonly config_data: Readonly<Record<string, unknown>>;
  readonly description?: string;
};

const LETTER = {
  type: "content",
  id: "letter",
  schemaRef: { id: "content-schema", version: "3.1" },
  metadata: { description: "A short letter.", version: "1.0.0", output_format: "text" },
  elements: [{ name: "body" }],
  generation: { patterns: [{ id: "fill", type: "template_fill", template: "Dear {{name}}," }] },
};

const BOOK = {
  type: "artifact",
  id: "book",
  schemaRef: { id: "artifact-schema", version: "3.1" },
  metadata: { title: "Book", purpose: "To be read.", outputs: [{ file: "book.md", format: "markdown" }] },
  content: {
    children: [
      { id: "intro", order: 1 },
      { id: "letter", order: 2, required: false },
    ],
  },
};

const DEFINITION = {
  name: "draft_config",
  title: "Draft a config",
  category: "config",
  description:
    "Checks a content or artifact config against its schema (schema://content, schema://artifact) and keeps it as a draft for 30 days. " +
    "Use it first when you make a config; then test_config, modify_config and save_config take the draft_id. " +
    "A config that is not valid is not kept, and all that is wrong with it is told at once.",
  inputSchema: described.input(
    {
      config_type: described.word(["content", "artifact"], "What it is a config of"),
      config_data: { type: "object", description: "The whole config" },
      description: described.text("What the draft is for, for whoever reads it later", { maxLength: 2000 }),
    },
    ["config_type", "config_data"],
  ),
  outputSchema: answerSchema(
    {
      draft_id: described.text("What the other config tools call it by"),
      config_type: described.word(["content", "artifact"], "What it is a config of"),
      validation_status: described.word(["valid"], "Others are not kept"),
      preview_path: described.text("The file of the draft, from the data folder of the workspace"),
      created_at: described.text("When it was drafted, UTC"),
      warnings: WARNINGS,
      description: described.text("What the draft is for, where that was given"),
    },
    ["draft_id", "config_type", "validation_status", "preview_path", "created_at", "warnings"],
  ),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  guide: {
    examples: [
      { input: { config_type: "content", config_data: LETTER }, description: "Draft a letter with a named blank" },
      {
        input: { config_type: "artifact", config_data: BOOK, description: "First try" },
        description: "Draft a document of two contents, one of them optional",
      },
    ],
    common_errors: [
      { code: "validation_error", message: "The config breaks its schema; violations has every place and reason" },
      { code: "invalid_input", message: "The config is too large to be kept" },
    ],
    typical_ms: "<100",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export const draftConfigTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { config_type: type, config_data: data, description } = args as Args;
    const { errors, warnings } = await bench.configs.check(type, data);
    if (errors.length > 0)
      throw new ComposeError("validation_error", `The ${type} config is not valid: ${tellViolations(errors)}.`, {
        violations: errors,
        warnings,
        next: `Mend what violations names, as schema://${type} has it, and call draft_config again.`,
      });
    const draft = await bench.drafts.create({
      config_type: type,
      config_data: data,
      ...(description === undefined ? {} : { description }),
    });
    return {
      draft_id: draft.draft_id,
      config_type: type,
      validation_status: "valid",
      preview_path: shownPath(bench.drafts.pathOf(draft.draft_id)),
      created_at: draft.created_at,
      warnings,
      ...(description === undefined ? {} : { description }),
    };
  },
});
