/** `cleanup_ephemeral`: removes old versions, or says which ones would go. */
import { checkConfigId } from "../configs/config-id.ts";
import { described } from "../keep/described.ts";
import { readRetention, type Retention } from "../storage/plan-cleanup.ts";
import { tellCleaned } from "../storage/tell-cleaned.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

type Args = {
  readonly retention?: Partial<Retention>;
  readonly filter?: { readonly content_ids?: readonly string[]; readonly older_than_days?: number };
  readonly dry_run?: boolean;
};

const RETENTION = described.options(
  {
    keep_versions: {
      type: "integer",
      default: 3,
      description: "The newest so many stay; 0: none stays for its number",
    },
    keep_days: { type: "number", default: 7, description: "Younger ones stay; 0: none stays for its age" },
    keep_latest: described.flag("The latest version of each content stays", { default: true }),
  },
  "What stays: whatever one of these keeps",
);

const FILTER = described.options(
  {
    content_ids: {
      type: "array",
      items: described.text("A content"),
      maxItems: 1_000,
      description: "Only these contents are looked at; an empty list means none",
    },
    older_than_days: { type: "number", default: 0, description: "More than 0: only older versions may go" },
  },
  "What may go",
);

const CLEANED = described.record(
  {
    content_id: described.text("The content"),
    versions_before: described.count("Versions it had"),
    versions_deleted: described.count("Versions that went"),
    versions_after: described.count("Versions it has now"),
    bytes_freed: described.count("Bytes of the texts that went"),
    oldest_kept: described.textOrNull("The oldest version that stayed"),
    latest_kept: described.textOrNull("The latest version that stayed"),
  },
  "One content that lost versions",
);

const DEFINITION = {
  name: "cleanup_ephemeral",
  title: "Clean up stored content",
  category: "storage",
  description:
    "Removes old stored versions of contents. A version stays if it is the latest, among the keep_versions newest, or younger than keep_days. " +
    "Call it with dry_run true first: the answer is the same, and nothing is removed. Drafts and configs are not touched.",
  inputSchema: described.input({
    retention: RETENTION,
    filter: FILTER,
    dry_run: described.flag("Only say what would go", { default: false }),
  }),
  outputSchema: answerSchema({
    status: described.word(["cleaned", "dry_run"], "Whether anything was removed, or would be"),
    total_content_checked: described.count("Contents that were looked at"),
    total_versions_deleted: described.count("Versions that went"),
    bytes_freed: described.count("Bytes of the texts that went"),
    content_cleaned: described.list(CLEANED, "Contents that lost versions"),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  guide: {
    examples: [
      { input: { dry_run: true }, description: "What would go by default" },
      {
        input: { retention: { keep_versions: 1, keep_days: 0 }, filter: { content_ids: ["letter"] } },
        description: "Keep only the latest version of one content",
      },
    ],
    common_errors: [
      { code: "invalid_retention", message: "A number is less than 0" },
      { code: "invalid_config_id", message: "One of content_ids is no id of a content" },
    ],
    typical_ms: "10-500",
  },
  timeoutMs: 60_000,
} as const satisfies Omit<ComposeTool, "run">;

export const cleanupEphemeralTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { retention: given, filter = {}, dry_run: dryRun = false } = args as Args;
    const { content_ids: ids, older_than_days: olderThanDays = 0 } = filter;
    const retention = readRetention(given, olderThanDays);
    const contentIds = ids === undefined ? null : ids.map(checkConfigId);
    const { checked, cleaned } = await bench.versions.cleanup({ retention, olderThanDays, contentIds, dryRun });
    if (!dryRun) for (const { content_id: id } of cleaned) bench.changed(`content://${id}`);
    return { status: dryRun ? "dry_run" : "cleaned", ...tellCleaned(checked, cleaned) };
  },
});
