/** `list_content`: the saved content configs and what is stored of each. One that is not valid is listed too; drafts are not. */
import { EVOLUTION } from "../configs/schema-parts.ts";
import { described } from "../keep/described.ts";
import { generatorOf } from "../keep/generator-of.ts";
import { LIMIT } from "../keep/limit-schema.ts";
import { listPage } from "../keep/list-page.ts";
import { itemsOf, membersOf, textOf } from "../keep/saved-members.ts";
import type { SavedConfig } from "../storage/saved-configs.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

const SORTS = ["id", "title", "generator", "modified"] as const;
type Sort = (typeof SORTS)[number];

type Args = {
  readonly filter?: { readonly generator_type?: string; readonly generated?: boolean; readonly stage?: string };
  readonly sort?: Sort;
  readonly limit?: number;
};

interface Row {
  readonly id: string;
  readonly title: string | null;
  readonly generator_type: string | null;
  readonly purpose: string | null;
  readonly stage: string | null;
  readonly generated: boolean;
  readonly last_generated: string | null;
  readonly versions_available: number;
  readonly output_format: string | null;
}

const CONTENT = described.record(
  {
    id: described.text("What the other tools call it by"),
    title: described.textOrNull("Its title, or else its description"),
    generator_type: described.textOrNull("The generator that takes it; null: it cannot be said"),
    purpose: described.textOrNull("Its purpose, or else its description"),
    stage: described.textOrNull("How far it is"),
    generated: described.flag("Whether a version is stored"),
    last_generated: described.textOrNull("When the latest version was stored"),
    versions_available: described.count("Stored versions"),
    output_format: described.textOrNull("The format that it asks for"),
  },
  "One content",
);

const DEFINITION = {
  name: "list_content",
  title: "List contents",
  category: "query",
  description:
    "Lists the saved content configs, with what is stored of each. Use it to find the id for generate_content, or to see what was not generated yet. " +
    "A config that is not valid is listed too; validate_content says what is wrong with it. Drafts are not listed.",
  inputSchema: described.input({
    filter: described.options(
      {
        generator_type: described.text("Taken by this generator"),
        generated: described.flag("Whether a version is stored"),
        stage: described.word(EVOLUTION.properties.stage.enum, "How far it is"),
      },
      "Which ones are listed",
    ),
    sort: described.word(SORTS, "What they are sorted by; modified: the latest first", { default: "id" }),
    limit: LIMIT,
  }),
  outputSchema: answerSchema({
    total: described.count("Contents that match"),
    returned: described.count("Contents that are listed"),
    content: described.list(CONTENT, "In the order that was asked for"),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  guide: {
    examples: [
      { input: {}, description: "All contents by id" },
      { input: { filter: { generated: false }, sort: "modified" }, description: "What was not generated yet" },
    ],
    common_errors: [{ code: "invalid_input", message: "limit, sort or filter is none that there is" }],
    typical_ms: "1-50",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export const listContentTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { filter = {}, sort = "id", limit = 100 } = args as Args;
    const choose = generatorOf(await bench.generators.look());
    const rows: Listed[] = [];
    for (const saved of await bench.saved.list("content")) {
      const row = rowOf(saved, await bench.versions.versionsOf(saved.id), choose);
      if (fits(row, filter)) rows.push({ id: saved.id, row, modified: saved.modified.toISOString() });
    }
    const page = listPage(rows, { key: KEYS[sort], latestFirst: sort === "modified", limit });
    return { total: rows.length, returned: page.length, content: page.map(({ row }) => row) };
  },
});

interface Listed {
  readonly id: string;
  readonly row: Row;
  readonly modified: string;
}

const KEYS: Readonly<Record<Sort, (listed: Listed) => string | null>> = {
  id: ({ id }) => id,
  title: ({ row: { title } }) => title?.toLowerCase() ?? null,
  generator: ({ row }) => row.generator_type,
  modified: ({ modified }) => modified,
};

const fits = (row: Row, { generator_type: type, generated, stage }: NonNullable<Args["filter"]>): boolean =>
  (type === undefined || row.generator_type === type) &&
  (generated === undefined || row.generated === generated) &&
  (stage === undefined || row.stage === stage);

const rowOf = (
  { id, data }: SavedConfig,
  versions: readonly StoredVersion[],
  choose: (data: unknown) => string | null,
): Row => {
  const metadata = membersOf(data, "metadata");
  const description = textOf(metadata, "description");
  const [pattern] = itemsOf(membersOf(data, "generation"), "patterns");
  return {
    id,
    title: textOf(metadata, "title") ?? description,
    generator_type: data === null ? null : (choose(data) ?? textOf(pattern, "type")),
    purpose: textOf(metadata, "purpose") ?? description,
    stage: textOf(membersOf(data, "evolution"), "stage"),
    generated: versions.length > 0,
    last_generated: versions.at(-1)?.timestamp ?? null,
    versions_available: versions.length,
    output_format: textOf(metadata, "output_format"),
  };
};
