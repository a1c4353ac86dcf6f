/** `preview_generation`: the text of a saved config, made as generating would make it, and stored nowhere. */
import { checkConfigId } from "../configs/config-id.ts";
import { readContext } from "../configs/read-context.ts";
import { described } from "../keep/described.ts";
import {
  CONTENT_ID_INPUT,
  CONTEXT_INPUT,
  CONTEXT_VARIABLES,
  GENERATION_ERRORS,
  SELECTION_RULE,
} from "../make/content-schemas.ts";
import { reportVariables } from "../make/report-variables.ts";
import { isFallback } from "../make/store-made.ts";
import type { Made, Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

const METADATA = described.record(
  {
    generator_type: described.text("The generator that made it"),
    selection_rule: SELECTION_RULE,
    context_variables: CONTEXT_VARIABLES,
    template_hash: described.textOrNull("The first 12 hex digits of the SHA-256 of the template; null: it has none"),
    variable_usage: {
      type: "object",
      additionalProperties: { type: "integer", minimum: 1 },
      description: "How often the template names each variable",
    },
    warnings: described.list({ type: "string" }, "Such as variables that are given and not used"),
  },
  "How it was made; only with show_metadata, or where fallback is true in it: the generator could not make the text",
);

const DEFINITION = {
  name: "preview_generation",
  title: "Preview generation",
  category: "content",
  description:
    "Makes the text of a saved content config exactly as generate_content would, and stores nothing. Use it to try a context. " +
    "With show_metadata it also tells which generator was chosen and why, how often the template names each variable, and " +
    "which values it does not use.",
  inputSchema: described.input(
    {
      content_config_id: CONTENT_ID_INPUT,
      context: CONTEXT_INPUT,
      show_metadata: described.flag("Tell how it was made too", { default: false }),
    },
    ["content_config_id"],
  ),
  outputSchema: answerSchema(
    {
      content: described.text("The text"),
      status: described.word(["preview"], "It is stored nowhere"),
      metadata: METADATA,
    },
    ["content", "status"],
  ),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  guide: {
    examples: [
      { input: { content_config_id: "release-notes" }, description: "The text alone" },
      {
        input: { content_config_id: "welcome-letter", context: { name: "Ada" }, show_metadata: true },
        description: "With what the template did with the context",
      },
    ],
    common_errors: GENERATION_ERRORS,
    typical_ms: "500-2000",
  },
  timeoutMs: 30_000,
} as const satisfies Omit<ComposeTool, "run">;

export const previewGenerationTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  async run(args, { owner, signal, facts }) {
    const id = checkConfigId(args["content_config_id"]);
    const context = readContext(args["context"]);
    const { config } = await bench.configs.content(id);
    const made = await bench.maker.make(
      await bench.maker.prepare({ config, context, run: facts().origin.run, owner, signal }),
    );
    // Nobody takes a stand-in for what the generator makes.
    const isShown = args["show_metadata"] === true || isFallback(made);
    const shown = isShown ? { metadata: tellMetadata(made) } : {};
    return { content: made.text, status: "preview", ...shown };
  },
});

const tellMetadata = ({ prepared, metadata }: Made): Readonly<Record<string, unknown>> => {
  const own = {
    generator_type: prepared.generator.type,
    selection_rule: prepared.rule,
    context_variables: prepared.contextVariables,
    ...reportVariables(prepared),
  };
  // What a generator says never stands for what is known here.
  return { ...own, ...metadata, ...own };
};
