/** `batch_generate_content`: many contents at once. Each is a call of its own to generate_content. */
import { described } from "../keep/described.ts";
import { ARGUMENT_ERRORS } from "../make/content-schemas.ts";
import { readBatch, type BatchItem } from "../make/read-batch.ts";
import { runBatch } from "../make/run-batch.ts";
import { tellBatch } from "../make/tell-batch.ts";
import type { CalledOn, ComposeCall, Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

const DEFAULT_PARALLEL = 4;
/** What was begun by then is over within the tool's time. */
const BEGIN_FOR_MS = 265_000;

const RESULT = {
  type: "object",
  description: "One content, in the order in which they were given; its text is not here",
  properties: {
    content_id: described.text("Its id"),
    status: described.word(["generated", "skipped", "regenerated", "failed", "cancelled"], "What became of it"),
    version_id: described.text("Of the stored text"),
    generator: described.text("The type of the generator"),
    duration_ms: { type: "number", minimum: 0, description: "How long its calls took" },
    from_cache: described.flag("The stored text was of the same making and stays"),
    fallback: described.flag(
      "Only where it is true: the generator could not make it, and its config's stand-in is stored",
    ),
    error: { type: "object", description: "Why it failed: code, message, details" },
  },
  required: ["content_id", "status"],
} as const;

const ITEM_ERROR = described.record(
  {
    content_id: described.text("Whose"),
    code: described.text("As generate_content has it"),
    message: described.text("The same for people"),
  },
  "One failure",
);

const DEFINITION = {
  name: "batch_generate_content",
  title: "Generate content in a batch",
  category: "batch",
  description:
    "Makes the texts of several saved content configs at once, each by a call of generate_content of its own, and tells for " +
    "each what became of it and under which version it is stored. The texts themselves are not in the answer: read them as " +
    "content://<id> or with query_ephemeral_storage. Use it for two or more contents; ids that are given twice are made once.",
  inputSchema: described.input(
    {
      content_ids: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        description: "Ids of saved content configs",
      },
      shared_context: {
        description: "Values for all of them: an object, or a string that holds one as JSON",
      },
      individual_contexts: {
        type: "object",
        description: "By id: values for that one alone, which win over the shared ones",
      },
      force: described.flag("Make each again even if the stored text is of the same making", { default: false }),
      continue_on_error: described.flag("False: after the first failure nothing new is begun", { default: true }),
      max_parallel: {
        type: "integer",
        minimum: 1,
        maximum: 10,
        default: DEFAULT_PARALLEL,
        description: "How many are made at once, at most as many as capabilities://server allows",
      },
    },
    ["content_ids"],
  ),
  outputSchema: answerSchema({
    status: described.word(
      ["batch_complete", "batch_partial", "batch_failed"],
      "All were made or skipped, some, or none",
    ),
    total: described.count("Ids, each counted once"),
    generated: described.count("Texts that were made"),
    skipped: described.count("Whose stored text was of the same making"),
    failed: described.count("That failed"),
    cancelled: described.count("That were never begun"),
    results: described.list(RESULT, "In the order of the ids"),
    errors: described.list(ITEM_ERROR, "Of those that failed"),
    parallel_efficiency: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: "The time of all calls, divided by the time of the batch times its workers; measured",
    },
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  guide: {
    examples: [
      {
        input: { content_ids: ["release-notes", "welcome-letter"], shared_context: { product: "Bailiwick" } },
        description: "Two texts with one context",
      },
      {
        input: {
          content_ids: ["welcome-letter", "invoice"],
          individual_contexts: { invoice: { total: 12 } },
          continue_on_error: false,
          max_parallel: 1,
        },
        description: "One after another, a value for one of them, and an end at the first failure",
      },
    ],
    common_errors: [
      ...ARGUMENT_ERRORS,
      { code: "batch_too_large", message: "It has more ids than capabilities://server allows; nothing was begun." },
      { code: "queue_full", message: "No text was made because others kept the queue full all the time." },
      { code: "generation_failed", message: "No text was made, for several reasons or for this one; errors has each." },
      { code: "config_not_found", message: "No content config is saved under any of the ids." },
      { code: "generator_not_found", message: "Each config names a generator that there is not." },
      { code: "missing_credential", message: "Each generator needs a credential that the host does not have." },
      { code: "content_too_large", message: "Each text has more bytes than capabilities://server allows." },
      { code: "generation_timeout", message: "The batch took longer than it may; what was made until then is stored." },
    ],
    typical_ms: "500-5000",
  },
  timeoutMs: 300_000,
} as const satisfies Omit<ComposeTool, "run">;

export const batchGenerateContentTool = (bench: Workbench, beginForMs = BEGIN_FOR_MS): ComposeTool => ({
  ...DEFINITION,
  async run(args, call) {
    const limits = bench.limits();
    const items = readBatch(args, limits.max_batch_size);
    const parallel = (args["max_parallel"] ?? DEFAULT_PARALLEL) as number;
    const run = await runBatch({
      items,
      workers: Math.min(parallel, limits.max_concurrent_generations, items.length),
      continueOnError: args["continue_on_error"] !== false,
      beginForMs,
      signal: call.signal,
      call: (item) => callItem(bench, call, { ...item, force: args["force"] === true }),
    });
    return tellBatch(items, run);
  },
});

const callItem = async (
  { callOn }: Workbench,
  call: ComposeCall,
  { content_id, context, force }: BatchItem & { readonly force: boolean },
): Promise<CalledOn> => {
  const args = { content_config_id: content_id, context, force };
  const called = await callOn({ tool: "generate_content", args, call });
  if (!called.ok) return called;
  // Texts may be large, and nobody asks a batch for them.
  const { content: _, ...value } = called.value;
  return { ok: true, value };
};
