/** `validate_content`: what is wrong with a stored text or, where none is stored, with a config. */
import type { Issues } from "../assemble/issue.ts";
import { validateConfig } from "../assemble/validate-config.ts";
import { validateText } from "../assemble/validate-text.ts";
import { ComposeError } from "../compose-error.ts";
import type { ConfigReading } from "../configs/config-reading.ts";
import { checkAnyId, isDraftId } from "../configs/config-id.ts";
import { checkAgainst } from "../keep/check-against.ts";
import { described } from "../keep/described.ts";
import { nextCall } from "../keep/next-call.ts";
import { nothingStored } from "../keep/nothing-stored.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

type Args = { readonly content_or_config_id: string; readonly validation_rules?: readonly unknown[] };

/** Plain: a rule that is not as it should be is an issue, not a bad call. */
const RULE = {
  properties: {
    type: { description: "length, required_fields or pattern" },
    severity: { description: "error, warning or info", default: "error" },
    config: { description: "length: min, max; required_fields: fields, a list of names; pattern: regex" },
  },
  description: "One rule",
};

const SEVERITIES = ["error", "warning", "info"] as const;

const ISSUE = described.record(
  {
    severity: described.word(SEVERITIES, "How bad it is"),
    code: described.text("What it is"),
    message: described.text("The same for people"),
    location: described.text("content, a JSON pointer into the config, or validation_rules[n]"),
    details: { type: "object", description: "More of it" },
  },
  "One issue",
);

const DEFINITION = {
  name: "validate_content",
  title: "Validate content",
  category: "validation",
  description:
    "Looks for what is wrong with the latest stored text of a content or, where nothing is stored, with the config or draft of that id: " +
    "its schema and its own validation.rules. Rules of your own may be added: length, required_fields, pattern. " +
    "valid is false when there is an error; a config that is not valid is an answer, not a failure.",
  inputSchema: described.input(
    {
      content_or_config_id: described.text("A content, a saved config or a draft"),
      validation_rules: { type: "array", items: RULE, maxItems: 100, description: "Rules that are applied too" },
    },
    ["content_or_config_id"],
  ),
  outputSchema: answerSchema({
    valid: described.flag("No errors"),
    target: described.word(["content", "config"], "What was looked at"),
    issues: described.list(ISSUE, "All that was found"),
    error_count: described.count("Errors among them"),
    warning_count: described.count("Warnings among them"),
    info_count: described.count("Notes among them"),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  guide: {
    examples: [
      { input: { content_or_config_id: "letter" }, description: "Check the stored text, or else the config" },
      {
        input: {
          content_or_config_id: "letter",
          validation_rules: [
            { type: "length", config: { min: 100, max: 5000 } },
            { type: "pattern", severity: "warning", config: { regex: "^# " } },
          ],
        },
        description: "Check its length, and whether it begins with a heading",
      },
    ],
    common_errors: [
      { code: "content_not_found", message: "Nothing is stored, saved or drafted under that id" },
      { code: "validation_failed", message: "The stored text cannot be read as it was stored" },
      { code: "invalid_config_id", message: "It is no id" },
    ],
    typical_ms: "1-50",
  },
  timeoutMs: 10_000,
} as const satisfies Omit<ComposeTool, "run">;

export const validateContentTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { content_or_config_id, validation_rules: rules = [] } = args as Args;
    const id = checkAnyId(content_or_config_id);
    const latest = (await bench.versions.versionsOf(id)).at(-1);
    if (latest !== undefined) return tell("content", await validateStored(bench, latest, rules));
    const config = isDraftId(id) ? await draftOf(bench, id) : await savedOf(bench, id);
    if (config === null) throw await nothingStored(bench, id);
    return tell("config", await validateConfig({ ...config, rules }));
  },
});

const tell = (target: "content" | "config", { valid, ...found }: Issues): Readonly<Record<string, unknown>> => ({
  valid,
  target,
  ...found,
});

const validateStored = async (
  { versions }: Workbench,
  version: StoredVersion,
  rules: readonly unknown[],
): Promise<Issues> => {
  const text = await versions.readText(version);
  if (text !== null) return validateText({ text, format: version.format, rules });
  const { content_id: id, version_id } = version;
  throw new ComposeError("validation_failed", `The text of "${id}" is not there as it was stored.`, {
    content_id: id,
    version_id,
    next: isDraftId(id)
      ? nextCall("test_config", { draft_id: id, dry_run: false })
      : nextCall("regenerate_content", { content_config_id: id }),
  });
};

interface Config {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly reading: ConfigReading;
}

const draftOf = async (bench: Workbench, id: string): Promise<Config | null> => {
  const draft = await bench.drafts.find(id);
  if (draft === null) return null;
  const data = draft.config_data as Config["data"];
  const reading = await bench.configs.check(draft.config_type, data);
  return { data, text: JSON.stringify(data, null, 2), reading };
};

/** Of a content and an artifact of one id the content: an artifact has no stored text. */
const savedOf = async (bench: Workbench, id: string): Promise<Config | null> => {
  for (const type of ["content", "artifact"] as const) {
    const saved = await bench.saved.find(type, id);
    if (saved === null) continue;
    const reading = checkAgainst(await bench.generators.look()).saved(type, saved);
    return { data: saved.data ?? {}, text: saved.text, reading };
  }
  return null;
};
