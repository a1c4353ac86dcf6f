/** `query_ephemeral_storage`: what is stored, by pages, and how much it is. */
import { checkAnyId } from "../configs/config-id.ts";
import { described } from "../keep/described.ts";
import { LIMIT } from "../keep/limit-schema.ts";
import { nothingStored } from "../keep/nothing-stored.ts";
import { queryVersions, type VersionQuery } from "../storage/query-versions.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

/** Of texts in one page; an answer has each twice. */
const TEXT_BYTES = 2_000_000;

type Args = {
  readonly content_id?: string;
  readonly strategy?: string;
  readonly filter?: NonNullable<VersionQuery["filter"]>;
  readonly include_content?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
};

const FILTER = described.options(
  {
    generator_type: described.text("Made by this generator"),
    since: described.text("Not before this time, such as 2026-01-31T00:00:00.000Z"),
    until: described.text("Not after this time"),
    approved: described.flag("Whether it was approved when it was generated"),
  },
  "Which versions count; the strategy picks among those",
);

const ENTRY = {
  type: "object",
  properties: {
    content_id: described.text("Whose version it is"),
    version_id: described.text("Which one it is"),
    timestamp: described.text("When it was stored, UTC"),
    format: described.text("The format of the text"),
    size_bytes: described.count("Bytes of the text in UTF-8"),
    content_hash: described.text("The first 12 hex digits of the SHA-256 of the text"),
    generator: described.text("The type of the generator that made it"),
    context_digest: described.text("The digest of the context that it was made with"),
    approved: described.flag("Whether it was approved when it was generated"),
    fallback: described.flag(
      "Only where it is true: the generator could not make it, and its config's stand-in is stored",
    ),
    content: described.textOrNull("The text, where it was asked for; null: it is not there as it was stored"),
  },
  required: [
    "content_id",
    "version_id",
    "timestamp",
    "format",
    "size_bytes",
    "content_hash",
    "generator",
    "context_digest",
    "approved",
  ],
  description: "One version",
};

const PROPERTIES = {
  total: described.count("Versions that match"),
  returned: described.count("Versions on this page"),
  next_cursor: described.text("Give it as cursor for the next page; absent on the last"),
  entries: described.list(ENTRY, "By content, then the oldest first"),
  storage: described.record(
    {
      content_count: described.count("Contents that have a version"),
      version_count: described.count("Versions of all contents"),
      total_bytes: described.count("Bytes of all texts"),
      retention_days: described.count("Older versions go by themselves, but for the latest of each content"),
    },
    "Everything that is stored, whatever was asked for",
  ),
};

const DEFINITION = {
  name: "query_ephemeral_storage",
  title: "Query stored content",
  category: "storage",
  description:
    "Lists stored versions of generated content: of one content or of all, picked by a strategy and a filter. " +
    "Use include_content to read the texts; a page with texts ends after about 2 MB of them, and next_cursor leads on. " +
    "Strategies: latest, all, approved_only, version:<version_id>, timestamp:<prefix>.",
  inputSchema: described.input({
    content_id: described.text("A content, or a draft that was tested with dry_run false; absent: all contents"),
    strategy: described.text("latest, all, approved_only, version:<version_id> or timestamp:<prefix>", {
      default: "latest",
    }),
    filter: FILTER,
    include_content: described.flag("Whether the texts are given too", { default: false }),
    limit: LIMIT,
    cursor: described.text("next_cursor of the page before"),
  }),
  outputSchema: answerSchema(PROPERTIES, ["total", "returned", "entries", "storage"]),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  guide: {
    examples: [
      { input: {}, description: "The latest version of each content" },
      {
        input: { content_id: "letter", strategy: "all", include_content: true, limit: 10 },
        description: "Read the versions of one content, the oldest first",
      },
      {
        input: { filter: { generator_type: "jinja2", since: "2026-01-01T00:00:00.000Z", approved: true } },
        description: "What one generator made since the new year and was approved",
      },
    ],
    common_errors: [
      { code: "content_not_found", message: "Nothing is stored for content_id" },
      { code: "invalid_input", message: "There is no such strategy, time or cursor" },
      { code: "invalid_config_id", message: "content_id is no id" },
    ],
    typical_ms: "1-50",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export const queryEphemeralStorageTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { content_id, strategy = "latest", filter, include_content = false, limit = 100, cursor } = args as Args;
    if (content_id !== undefined && (await bench.versions.versionsOf(checkAnyId(content_id))).length === 0)
      throw await nothingStored(bench, content_id);
    const page = await queryVersions(bench.versions, {
      ...(content_id === undefined ? {} : { contentId: content_id }),
      strategy,
      ...(filter === undefined ? {} : { filter }),
      limit,
      ...(include_content ? { textBytes: TEXT_BYTES } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const entries: object[] = [];
    for (const row of page.rows)
      entries.push(include_content ? { ...shown(row), content: await bench.versions.readText(row) } : shown(row));
    return {
      total: page.total,
      returned: entries.length,
      ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }),
      entries,
      storage: {
        ...(await bench.versions.totals()),
        retention_days: bench.limits().ephemeral_retention_days,
      },
    };
  },
});

const shown = (version: StoredVersion): object => ({
  content_id: version.content_id,
  version_id: version.version_id,
  timestamp: version.timestamp,
  format: version.format,
  size_bytes: version.size_bytes,
  content_hash: version.content_hash,
  generator: version.generator,
  context_digest: version.context_digest,
  approved: version.approved,
  ...(version.fallback === true ? { fallback: true } : {}),
});
