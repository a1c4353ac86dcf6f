/** `save_config`: makes a draft the config that the other tools find under its id. */
import { ComposeError } from "../compose-error.ts";
import { isConfigId } from "../configs/config-id.ts";
import { described } from "../keep/described.ts";
import { nextCall } from "../keep/next-call.ts";
import { tellViolations } from "../keep/tell-violations.ts";
import type { Draft } from "../storage/drafts.ts";
import type { Saving } from "../storage/saved-configs.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

type Args = { readonly draft_id: string; readonly config_id: string; readonly overwrite?: boolean };

const DEFINITION = {
  name: "save_config",
  title: "Save a config",
  category: "config",
  description:
    "Saves a draft as a file in the first configured root, where generate_content and assemble_artifact find it under config_id. " +
    "The id in the config becomes config_id. One that is there is replaced only with overwrite true, and is copied to <file>.json.backup before. " +
    "The draft stays as it is.",
  inputSchema: described.input(
    {
      draft_id: described.text("The draft, as draft_config or modify_config gave it"),
      config_id: described.text("The id to save it under: a letter, then a-z, 0-9 and -"),
      overwrite: described.flag("Replace the one that is there", { default: false }),
    },
    ["draft_id", "config_id"],
  ),
  outputSchema: answerSchema({
    config_path: described.text("Where it is, from the first root"),
    config_id: described.text("What it is called by now"),
    config_type: described.word(["content", "artifact"], "What it is a config of"),
    backup_path: described.textOrNull("Where the one is that it replaced; null: there was none"),
    id_rewritten: described.flag("Whether the draft had another id in it"),
  }),
  // What it replaces is kept as a backup.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  guide: {
    examples: [
      {
        input: { draft_id: "draft-20260131T120000-0a1b2c", config_id: "letter" },
        description: "Save a draft as a new config",
      },
      {
        input: { draft_id: "draft-20260131T120000-0a1b2c", config_id: "letter", overwrite: true },
        description: "Replace a config, keeping the old one beside it",
      },
    ],
    common_errors: [
      { code: "draft_not_found", message: "There is no such draft, or it is older than 30 days" },
      { code: "save_failed", message: "One is saved under config_id already, or nothing can be saved under it" },
      { code: "invalid_config_id", message: "draft_id is none that draft_config gave" },
    ],
    typical_ms: "<100",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export const saveConfigTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { draft_id, config_id: id, overwrite = false } = args as Args;
    const draft = await bench.drafts.read(draft_id);
    const { path, backup, idRewritten } = await save(bench, draft, { id, overwrite });
    bench.changed(`config://${draft.config_type}/${id}`);
    return {
      config_path: path,
      config_id: id,
      config_type: draft.config_type,
      backup_path: backup,
      id_rewritten: idRewritten,
    };
  },
});

interface Wish {
  readonly id: string;
  readonly overwrite: boolean;
}

const save = async (bench: Workbench, draft: Draft, { id, overwrite }: Wish): Promise<Saving> => {
  const { draft_id, config_type: type, config_data } = draft;
  const { errors } = await bench.configs.check(type, config_data);
  // It was valid when it was drafted; what is valid may have changed with the generators.
  if (errors.length > 0)
    throw new ComposeError("save_failed", `The draft is not valid any more: ${tellViolations(errors)}.`, {
      draft_id,
      violations: errors,
      next: `Call modify_config with config_id "${draft_id}" and updates that mend it.`,
    });
  const data = config_data as Readonly<Record<string, unknown>>;
  try {
    return await bench.saved.save({ type, id, data, overwrite });
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    const isTaken = !overwrite && isConfigId(id) && (await bench.saved.find(type, id)) !== null;
    throw new ComposeError(error.code, error.message, {
      ...error.details,
      draft_id,
      ...(isTaken ? { next: nextCall("save_config", { draft_id, config_id: id, overwrite: true }) } : {}),
    });
  }
};
