/** `regenerate_content`: the text of a saved config made anew, and what it has otherwise than the version before. */
import type { Changes } from "../assemble/tell-changes.ts";
import { checkConfigId } from "../configs/config-id.ts";
import { readContext } from "../configs/read-context.ts";
import { described } from "../keep/described.ts";
import { CONTENT_ID_INPUT, CONTEXT_INPUT, GENERATED_PROPERTIES, GENERATION_ERRORS } from "../make/content-schemas.ts";
import { storeMade } from "../make/store-made.ts";
import { tellGenerated } from "../make/tell-generated.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

const PREVIOUS = {
  type: ["object", "null"],
  description: "The version before this one; null: there is none",
  properties: {
    version_id: described.text("Of that version"),
    timestamp: described.text("When it was made"),
    content_hash: described.text("The first 12 hex digits of the SHA-256 of its text"),
  },
  required: ["version_id", "timestamp", "content_hash"],
} as const;

const CHANGES = {
  type: ["object", "null"],
  description: "The difference by lines; null: there is nothing to compare with, or compare is false",
  properties: {
    lines_added: described.count("Lines that only the new text has"),
    lines_removed: described.count("Lines that only the old text had"),
    lines_changed: described.count("The smaller of the two: lines that came in the place of others"),
    summary: described.text("The same in a few words"),
  },
  required: ["lines_added", "lines_removed", "lines_changed", "summary"],
} as const;

const DEFINITION = {
  name: "regenerate_content",
  title: "Regenerate content",
  category: "content",
  description:
    "Makes the text of a saved content config again, whatever is stored, keeps it as a new version, and tells by lines what " +
    "changed since the version before. Use it after a config, a template or the facts behind them changed; generate_content " +
    "is cheaper where a stored text will do.",
  inputSchema: described.input(
    {
      content_config_id: CONTENT_ID_INPUT,
      context: CONTEXT_INPUT,
      reason: described.text("Why it is made again; kept with the version", { maxLength: 1000 }),
      compare: described.flag("Compare with the version before", { default: true }),
    },
    ["content_config_id"],
  ),
  outputSchema: answerSchema({
    ...GENERATED_PROPERTIES,
    status: described.word(["regenerated"], "It is always made"),
    previous_version: PREVIOUS,
    changes: CHANGES,
    reason: described.textOrNull("As it was given"),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  guide: {
    examples: [
      {
        input: { content_config_id: "release-notes", reason: "Two entries were added" },
        description: "A new version, compared with the one before",
      },
      {
        input: { content_config_id: "welcome-letter", context: '{"name":"Ada"}', compare: false },
        description: "With the context as a JSON text, and without comparing",
      },
    ],
    common_errors: GENERATION_ERRORS,
    typical_ms: "500-2000",
  },
  timeoutMs: 30_000,
} as const satisfies Omit<ComposeTool, "run">;

export const regenerateContentTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  async run(args, { owner, signal, facts }) {
    const id = checkConfigId(args["content_config_id"]);
    const context = readContext(args["context"]);
    const reason = typeof args["reason"] === "string" ? args["reason"] : null;
    const { config } = await bench.configs.content(id);
    const prepared = await bench.maker.prepare({ config, context, run: facts().origin.run, owner, signal });
    const made = await bench.maker.make(prepared);
    signal.throwIfAborted();
    const version = await storeMade(bench.versions, { id, made, ...(reason === null ? {} : { reason }) });
    bench.changed(`content://${id}`);
    const previous = await versionBefore(bench.versions, version);
    // It is stored by now: what cannot be read to compare it with makes no failure of it.
    const old =
      previous === null || args["compare"] === false ? null : await bench.versions.readText(previous).catch(() => null);
    const changes: Changes | null =
      old === null ? null : await bench.compare({ before: old, after: made.text, signal });
    return {
      ...tellGenerated({ status: "regenerated", text: made.text, version, prepared, said: made.metadata }),
      previous_version: previous === null ? null : tellPrevious(previous),
      changes,
      reason,
    };
  },
});

/** Looked for after it was stored: whoever stored another one meanwhile made the previous one. */
const versionBefore = async (
  versions: Workbench["versions"],
  { content_id: id, version_id: own }: StoredVersion,
): Promise<StoredVersion | null> => {
  const all = await versions.versionsOf(id);
  const at = all.findIndex(({ version_id: each }) => each === own);
  return at < 1 ? null : all[at - 1]!;
};

const tellPrevious = ({ version_id, timestamp, content_hash }: StoredVersion): object => ({
  version_id,
  timestamp,
  content_hash,
});
