/** `delete_content`: removes all stored versions of one content. Its config stays. */
import { contentReferences } from "../assemble/content-references.ts";
import { ComposeError } from "../compose-error.ts";
import { checkAnyId } from "../configs/config-id.ts";
import { described } from "../keep/described.ts";
import { nextCall } from "../keep/next-call.ts";
import { nothingStored } from "../keep/nothing-stored.ts";
import { bytesOf } from "../storage/stored-version.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

type Args = { readonly content_id: string; readonly preserve_metadata?: boolean; readonly force?: boolean };

const REFERENCES = {
  type: ["object", "null"],
  properties: {
    artifact_ids: described.list(described.text("An artifact"), "Saved artifacts that have it among their children"),
    count: described.count("How many they are"),
  },
  required: ["artifact_ids", "count"],
  description: "Who wants it; null: no artifact",
};

const DEFINITION = {
  name: "delete_content",
  title: "Delete stored content",
  category: "storage",
  description:
    "Removes every stored version of one content; its config stays, and generate_content makes the text anew. " +
    "A content that a saved artifact is made of is removed only with force true. " +
    "With preserve_metadata true what is known of the versions (time, hash, generator) stays on disk without their texts.",
  inputSchema: described.input(
    {
      content_id: described.text("The content, or a draft that was tested with dry_run false"),
      preserve_metadata: described.flag("Keep what is known of the versions, without their texts", { default: false }),
      force: described.flag("Remove it even if an artifact is made of it", { default: false }),
    },
    ["content_id"],
  ),
  outputSchema: answerSchema({
    status: described.word(["deleted"], "What became of it"),
    versions_deleted: described.count("Versions that went"),
    bytes_freed: described.count("Bytes of the texts that went"),
    metadata_preserved: described.flag("Whether what is known of them stayed"),
    warnings: {
      type: ["array", "null"],
      items: described.text("One of them"),
      description: "What follows from it; null: nothing",
    },
    references: REFERENCES,
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  guide: {
    examples: [
      { input: { content_id: "letter" }, description: "Remove what is stored of one content" },
      {
        input: { content_id: "intro", force: true, preserve_metadata: true },
        description: "Remove the texts of a content that an artifact is made of, and keep the record of them",
      },
    ],
    common_errors: [
      { code: "content_not_found", message: "Nothing is stored for content_id" },
      { code: "content_referenced", message: "Saved artifacts are made of it; artifact_ids names them" },
      { code: "invalid_config_id", message: "content_id is no id" },
    ],
    typical_ms: "1-50",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export const deleteContentTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { content_id, preserve_metadata: keepMeta = false, force = false } = args as Args;
    const id = checkAnyId(content_id);
    if ((await bench.versions.versionsOf(id)).length === 0) throw await nothingStored(bench, id);
    const artifactIds = contentReferences(id, await bench.saved.list("artifact"));
    if (artifactIds.length > 0 && !force) throw referenced(id, artifactIds, keepMeta);
    const gone = await bench.versions.remove(id, { keepMeta });
    if (gone.length === 0) throw await nothingStored(bench, id);
    bench.changed(`content://${id}`);
    const isWanted = artifactIds.length > 0;
    return {
      status: "deleted",
      versions_deleted: gone.length,
      bytes_freed: bytesOf(gone),
      metadata_preserved: keepMeta,
      warnings: isWanted ? [`Until it is generated again, it is missing in: ${artifactIds.join(", ")}.`] : null,
      references: isWanted ? { artifact_ids: artifactIds, count: artifactIds.length } : null,
    };
  },
});

const referenced = (id: string, artifactIds: readonly string[], keepMeta: boolean): ComposeError =>
  new ComposeError("content_referenced", `Saved artifacts are made of "${id}": ${artifactIds.join(", ")}.`, {
    content_id: id,
    artifact_ids: artifactIds,
    next: nextCall("delete_content", {
      content_id: id,
      ...(keepMeta ? { preserve_metadata: true } : {}),
      force: true,
    }),
  });
