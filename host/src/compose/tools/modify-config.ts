/** `modify_config`: changes a draft, or makes one of a saved config. A saved file changes through `save_config` alone. */
import { ComposeError } from "../compose-error.ts";
import { checkAnyId, isDraftId } from "../configs/config-id.ts";
import type { ConfigType } from "../configs/config-types.ts";
import { isNestedTooDeep, NESTED_TOO_DEEP } from "../configs/nesting.ts";
import { mergePatch } from "../configs/merge-patch.ts";
import { checkAgainst, type Checks } from "../keep/check-against.ts";
import { described } from "../keep/described.ts";
import { findSaved } from "../keep/find-saved.ts";
import { shownPath } from "../keep/shown-path.ts";
import { tellViolations } from "../keep/tell-violations.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

type Members = Readonly<Record<string, unknown>>;
type Args = { readonly config_id: string; readonly updates: Members; readonly create_backup?: boolean };

const DEFINITION = {
  name: "modify_config",
  title: "Change a config",
  category: "config",
  description:
    "Changes a config by a JSON merge patch (RFC 7396): members of updates replace those of the config, objects are merged, lists are replaced whole, null removes. " +
    "The id of a draft changes that draft. The id of a saved config leaves the file as it is and makes a new draft of it, to be saved with save_config. " +
    "A change that would make the config invalid is refused, and nothing is changed.",
  inputSchema: described.input(
    {
      config_id: described.text("A draft or a saved config"),
      updates: {
        type: "object",
        description: "The merge patch. Where a content and an artifact config have the same id, its type says which",
      },
      create_backup: described.flag("Copy a draft before it is changed; a saved config is not changed", {
        default: true,
      }),
    },
    ["config_id", "updates"],
  ),
  outputSchema: answerSchema(
    {
      draft_id: described.text("The draft that has the changes"),
      config_id: described.text("The id that was given"),
      validation_status: described.word(["valid"], "Other changes are refused"),
      backup_path: described.textOrNull("The draft as it was, from the data folder of the workspace; null: no copy"),
      description: described.text("What the draft is for, where draft_config was told"),
    },
    ["draft_id", "config_id", "validation_status", "backup_path"],
  ),
  // Drafts alone are changed: what is saved stays as it is.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  guide: {
    examples: [
      {
        input: {
          config_id: "draft-20260131T120000-0a1b2c",
          updates: { metadata: { output_format: "markdown", generation_frequency: null } },
        },
        description: "Set one member of a draft and remove another",
      },
      {
        input: { config_id: "letter", updates: { evolution: { stage: "approved" } } },
        description: "Make a draft of a saved config in which it is approved",
      },
    ],
    common_errors: [
      { code: "draft_not_found", message: "There is no such draft, or it is older than 30 days" },
      { code: "config_not_found", message: "No config is saved under that id" },
      { code: "modification_failed", message: "The config would not be valid; nothing was changed" },
      { code: "invalid_config_id", message: "It is the id of neither a draft nor a saved config" },
      { code: "invalid_input", message: "The config would be too large to be kept" },
    ],
    typical_ms: "<100",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export const modifyConfigTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { config_id, updates, create_backup: backup = true } = args as Args;
    const id = checkAnyId(config_id);
    const change: Change = { id, updates, checks: checkAgainst(await bench.generators.look()) };
    const done = isDraftId(id) ? await changeDraft(bench, change, backup) : await draftOfSaved(bench, change);
    const { draftId, backup: backup_path, description } = done;
    const about = description === undefined ? {} : { description };
    return { draft_id: draftId, config_id: id, validation_status: "valid", backup_path, ...about };
  },
});

interface Change {
  readonly id: string;
  readonly updates: Members;
  readonly checks: Checks;
}

interface Done {
  readonly draftId: string;
  readonly backup: string | null;
  readonly description?: string;
}

const changeDraft = async ({ drafts }: Workbench, change: Change, backup: boolean): Promise<Done> => {
  const { id } = change;
  const done = await drafts.update(id, (draft) => patched(draft.config_type, draft.config_data, change), { backup });
  const copy = done.backup === null ? null : `${shownPath(drafts.pathOf(id))}.backup`;
  const { description } = done.draft;
  return { draftId: id, backup: copy, ...(description === undefined ? {} : { description }) };
};

const draftOfSaved = async (bench: Workbench, change: Change): Promise<Done> => {
  const { id, updates } = change;
  const { type, saved } = await findSaved(bench.saved, id, updates["type"]);
  if (saved.data === null) throw failed(id, `${saved.path}: ${saved.fault}`, { next: `Mend ${saved.path} by hand.` });
  const data = patched(type, saved.data, change);
  const { draft_id: draftId } = await bench.drafts.create({ config_type: type, config_data: data, from: id });
  return { draftId, backup: null };
};

const patched = (type: ConfigType, data: unknown, { id, updates, checks }: Change): unknown => {
  if (isNestedTooDeep(updates)) throw failed(id, NESTED_TOO_DEEP, { next: "Give updates with fewer levels." });
  const next = mergePatch(data, updates);
  const { errors } = checks.check(type, next);
  if (errors.length === 0) return next;
  throw failed(id, tellViolations(errors), {
    violations: errors,
    next: `Call modify_config again with updates that leave a config as schema://${type} has it.`,
  });
};

const failed = (id: string, why: string, details: Members): ComposeError =>
  new ComposeError("modification_failed", `The config "${id}" was not changed: ${why}.`, { config_id: id, ...details });
