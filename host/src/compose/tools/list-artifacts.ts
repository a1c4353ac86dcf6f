/** `list_artifacts`: the saved artifact configs and when each was assembled. One that is not valid is listed too. */
import { ARTIFACT_SCHEMA } from "../configs/artifact-schema.ts";
import { EVOLUTION } from "../configs/schema-parts.ts";
import { described } from "../keep/described.ts";
import { LIMIT } from "../keep/limit-schema.ts";
import { listPage } from "../keep/list-page.ts";
import { itemsOf, membersOf, textOf } from "../keep/saved-members.ts";
import type { SavedConfig } from "../storage/saved-configs.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

const SORTS = ["id", "title", "assembled", "modified"] as const;
type Sort = (typeof SORTS)[number];

type Args = {
  readonly filter?: { readonly type?: string; readonly stage?: string; readonly assembled?: boolean };
  readonly sort?: Sort;
  readonly limit?: number;
};

interface Row {
  readonly id: string;
  readonly title: string | null;
  readonly type: string | null;
  readonly stage: string | null;
  readonly purpose: string | null;
  readonly dependencies: readonly string[];
  readonly assembled: boolean;
  readonly last_assembled: string | null;
  readonly output_file: string | null;
  readonly composition_strategy: string | null;
}

const ARTIFACT = described.record(
  {
    id: described.text("What the other tools call it by"),
    title: described.textOrNull("Its title"),
    type: described.textOrNull("What kind of document it is"),
    stage: described.textOrNull("How far it is"),
    purpose: described.textOrNull("What it is for"),
    dependencies: described.list(described.text("A content"), "The contents that it is made of"),
    assembled: described.flag("Whether it was assembled and its output is still there"),
    last_assembled: described.textOrNull("When that was"),
    output_file: described.textOrNull("Its first output, as the config has it"),
    composition_strategy: described.textOrNull("How its contents become one; null: it cannot be said"),
  },
  "One artifact",
);

const DEFINITION = {
  name: "list_artifacts",
  title: "List artifacts",
  category: "query",
  description:
    "Lists the saved artifact configs: what each is made of, where it is written and when it was last assembled. " +
    "Use it to find the id for assemble_artifact and trace_dependencies. " +
    "A config that is not valid is listed too; validate_content says what is wrong with it. Drafts are not listed.",
  inputSchema: described.input({
    filter: described.options(
      {
        type: described.word(ARTIFACT_SCHEMA.properties.metadata.properties.type.enum, "What kind of document it is"),
        stage: described.word(EVOLUTION.properties.stage.enum, "How far it is"),
        assembled: described.flag("Whether it was assembled and its output is still there"),
      },
      "Which ones are listed",
    ),
    sort: described.word(SORTS, "What they are sorted by; assembled and modified: the latest first", { default: "id" }),
    limit: LIMIT,
  }),
  outputSchema: answerSchema({
    total: described.count("Artifacts that match"),
    returned: described.count("Artifacts that are listed"),
    artifacts: described.list(ARTIFACT, "In the order that was asked for"),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  guide: {
    examples: [
      { input: {}, description: "All artifacts by id" },
      { input: { filter: { assembled: true }, sort: "assembled", limit: 10 }, description: "The ten assembled last" },
    ],
    common_errors: [{ code: "invalid_input", message: "limit, sort or filter is none that there is" }],
    typical_ms: "1-50",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export interface ArtifactFacts {
  /** When the output was written that is still there; null: there is none. */
  readonly lastAssembled: (artifactId: string) => Promise<string | null>;
}

export const listArtifactsTool = (bench: Workbench, { lastAssembled }: ArtifactFacts): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { filter = {}, sort = "id", limit = 100 } = args as Args;
    const rows: Listed[] = [];
    for (const saved of await bench.saved.list("artifact")) {
      const row = rowOf(saved, await lastAssembled(saved.id));
      if (fits(row, filter)) rows.push({ id: saved.id, row, modified: saved.modified.toISOString() });
    }
    const latestFirst = sort === "assembled" || sort === "modified";
    const page = listPage(rows, { key: KEYS[sort], latestFirst, limit });
    return { total: rows.length, returned: page.length, artifacts: page.map(({ row }) => row) };
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
  assembled: ({ row }) => row.last_assembled,
  modified: ({ modified }) => modified,
};

const fits = (row: Row, { type, stage, assembled }: NonNullable<Args["filter"]>): boolean =>
  (type === undefined || row.type === type) &&
  (stage === undefined || row.stage === stage) &&
  (assembled === undefined || row.assembled === assembled);

const rowOf = ({ id, data }: SavedConfig, lastAssembled: string | null): Row => {
  const metadata = membersOf(data, "metadata");
  const [output] = itemsOf(metadata, "outputs");
  const children = itemsOf(membersOf(data, "content"), "children");
  return {
    id,
    title: textOf(metadata, "title"),
    type: textOf(metadata, "type"),
    stage: textOf(membersOf(data, "evolution"), "stage"),
    purpose: textOf(metadata, "purpose"),
    dependencies: children.flatMap((child) => textOf(child, "id") ?? []),
    assembled: lastAssembled !== null,
    last_assembled: lastAssembled,
    output_file: textOf(output, "file"),
    composition_strategy: data === null ? null : (textOf(metadata, "compositionStrategy") ?? "concat"),
  };
};
