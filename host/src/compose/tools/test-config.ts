/** `test_config`: the text that a draft makes, before it is saved. */
import { countCharacters } from "../assemble/apply-rules.ts";
import type { Issue } from "../assemble/issue.ts";
import { validateConfig } from "../assemble/validate-config.ts";
import { validateText } from "../assemble/validate-text.ts";
import { ComposeError } from "../compose-error.ts";
import { checkDraftId } from "../configs/config-id.ts";
import type { ConfigReading } from "../configs/config-reading.ts";
import type { ContentConfig } from "../configs/config-types.ts";
import { readContext } from "../configs/read-context.ts";
import { described } from "../keep/described.ts";
import { nextCall } from "../keep/next-call.ts";
import { tellViolations } from "../keep/tell-violations.ts";
import { ARGUMENT_ERRORS, CONTEXT_INPUT, SELECTION_RULE } from "../make/content-schemas.ts";
import { formatOf, isFallback, storeMade } from "../make/store-made.ts";
import type { Draft } from "../storage/drafts.ts";
import type { Made, MakeOrder, Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

const MAX_SHOWN = 10_000;

const ISSUE = described.record(
  {
    severity: described.word(["error", "warning", "info"], "How bad it is"),
    code: described.text("What it is"),
    message: described.text("The same for people"),
    location: described.text("content, or a JSON pointer into the config"),
    details: { type: "object", description: "More of it" },
  },
  "One thing that was found",
);

const DEFINITION = {
  name: "test_config",
  title: "Test a config",
  category: "config",
  description:
    "Makes the text of a draft of a content config, so that it can be seen before the draft is saved, and tells what is wrong " +
    "with the config and with the text. Nothing is stored unless dry_run is false: then the text becomes a version under the " +
    "draft's id. Call draft_config before it and save_config after it.",
  inputSchema: described.input(
    {
      draft_id: described.text("The id that draft_config or modify_config gave"),
      context: CONTEXT_INPUT,
      dry_run: described.flag("Store nothing", { default: true }),
    },
    ["draft_id"],
  ),
  outputSchema: answerSchema(
    {
      preview_content: described.text(`The text; of a longer one the first ${MAX_SHOWN} characters`),
      content_length: described.count("Characters of the whole text"),
      generator_used: described.text("The type of the generator"),
      selection_rule: SELECTION_RULE,
      validation_issues: described.list(ISSUE, "What is wrong with the config and with the text"),
      estimated_cost: { type: ["number", "null"], description: "In US dollars, where a model made it and it is known" },
      version_id: described.text("Under which it is stored; only where dry_run is false"),
    },
    ["preview_content", "content_length", "generator_used", "selection_rule", "validation_issues", "estimated_cost"],
  ),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  guide: {
    examples: [
      { input: { draft_id: "draft-20260102T030405-0a1b2c" }, description: "What the draft makes by itself" },
      {
        input: { draft_id: "draft-20260102T030405-0a1b2c", context: { name: "Ada" }, dry_run: false },
        description: "With a context, and the text kept under the draft's id",
      },
    ],
    common_errors: [
      ...ARGUMENT_ERRORS,
      { code: "draft_not_found", message: "There is no such draft, or it is older than 30 days." },
      { code: "test_failed", message: "It is a draft of an artifact; only content makes a text by itself." },
      { code: "test_execution_failed", message: "No text could be made; details.cause is the code of the reason." },
    ],
    typical_ms: "500-2000",
  },
  timeoutMs: 30_000,
} as const satisfies Omit<ComposeTool, "run">;

export const testConfigTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  async run(args, { owner, signal, facts }) {
    const id = checkDraftId(args["draft_id"]);
    const context = readContext(args["context"]);
    const draft = await bench.drafts.read(id);
    if (draft.config_type !== "content") throw onlyContent(id);
    const reading = await bench.configs.check("content", draft.config_data);
    if (reading.errors.length > 0) throw notValid(id, reading);
    const made = await makeDraft(bench, draft, { context, run: facts().origin.run, owner, signal });
    const issues = [...(await configIssues(draft, reading)), ...(await textIssues(made)), ...fallbackIssues(made)];
    signal.throwIfAborted();
    const version = args["dry_run"] === false ? await storeMade(bench.versions, { id, made }) : null;
    return {
      ...shorten(made.text),
      generator_used: made.prepared.generator.type,
      selection_rule: made.prepared.rule,
      validation_issues: issues,
      estimated_cost: costOf(made),
      ...(version === null ? {} : { version_id: version.version_id }),
    };
  },
});

type Given = Omit<MakeOrder, "config">;

const makeDraft = async ({ maker }: Workbench, draft: Draft, given: Given): Promise<Made> => {
  const config = draft.config_data as ContentConfig;
  try {
    return await maker.make(await maker.prepare({ config, ...given }));
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    const { code, message, details } = error;
    throw new ComposeError("test_execution_failed", message, { draft_id: draft.draft_id, cause: code, ...details });
  }
};

const onlyContent = (id: string): ComposeError =>
  new ComposeError("test_failed", `The draft "${id}" is of an artifact, which is assembled and not generated.`, {
    draft_id: id,
    next: `Call save_config with draft_id "${id}", then assemble_artifact with the id it was saved under.`,
  });

/** It was valid when it was drafted, for the generators that there were then. */
const notValid = (id: string, { errors }: ConfigReading): ComposeError =>
  new ComposeError("test_execution_failed", `The draft "${id}" is not valid: ${tellViolations(errors)}.`, {
    draft_id: id,
    cause: "validation_error",
    violations: errors,
    next: `Call modify_config with config_id "${id}" and updates that mend it, then ${nextCall("test_config", { draft_id: id })}`,
  });

const configIssues = async ({ config_data: data }: Draft, reading: ConfigReading): Promise<readonly object[]> => {
  const config = data as Readonly<Record<string, unknown>>;
  return (await validateConfig({ data: config, text: "", reading, rules: [] })).issues;
};

const textIssues = async (made: Made): Promise<readonly object[]> =>
  (await validateText({ text: made.text, format: formatOf(made), rules: [] })).issues;

const fallbackIssues = (made: Made): readonly Issue[] => {
  if (!isFallback(made)) return [];
  const { fallback_reason: reason } = made.metadata;
  const why = typeof reason === "string" ? `: ${reason}` : ".";
  const message = `The generator could not make the text, and this is the stand-in of the config${why}`;
  return [{ severity: "warning", code: "fallback_used", message, location: "content", details: {} }];
};

const shorten = (text: string): { preview_content: string; content_length: number } => {
  const length = countCharacters(text);
  if (length <= MAX_SHOWN) return { preview_content: text, content_length: length };
  let end = 0;
  // Those beyond the basic plane have two units, and none is cut in two.
  for (let count = 0; count < MAX_SHOWN; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return { preview_content: `${text.slice(0, end)}\n\n... (truncated, total ${length} chars)`, content_length: length };
};

const costOf = ({ metadata }: Made): number | null => {
  const cost = metadata["cost_usd"];
  return typeof cost === "number" ? cost : null;
};
