/** `trace_dependencies`: what an artifact is made of, in the order of assembly, and what of it is there. */
import { traceDependencies, type TraceInput } from "../assemble/trace-dependencies.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import { described } from "../keep/described.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

type Args = {
  readonly artifact_config_id: string;
  readonly check_status?: boolean;
  readonly show_metadata?: boolean;
};

const DEPENDENCY = {
  type: "object",
  properties: {
    content_id: described.text("The content"),
    path: described.text("Where its config is, from the first root"),
    required: described.flag("Whether there is no artifact without it"),
    order: { type: ["number", "null"], description: "Its order as the config has it; null: none, so it comes last" },
    status: described.word(
      ["ready", "missing", "missing_config", "unknown"],
      "Whether the version that is wanted is stored; if not, whether its config is there to make it",
    ),
    retrieval_strategy: described.text("Which of its versions is wanted"),
    metadata: described.record(
      {
        last_generated: described.textOrNull("When the latest version was stored"),
        versions_available: described.count("Stored versions"),
      },
      "What is stored of it, where that was asked for",
    ),
  },
  required: ["content_id", "path", "required", "order", "status", "retrieval_strategy"],
  description: "One content",
};

const DEFINITION = {
  name: "trace_dependencies",
  title: "Trace dependencies",
  category: "query",
  description:
    "Shows which contents an artifact is made of, in the order of assembly, and which of them are stored, missing, or have no config. " +
    "Use it before assemble_artifact: missing_content_ids are those to generate first. Conditions of children are taken as met.",
  inputSchema: described.input(
    {
      artifact_config_id: described.text("A saved artifact config"),
      check_status: described.flag("Look what is stored; false: every status is unknown", { default: true }),
      show_metadata: described.flag("Tell what is stored of each content", { default: false }),
    },
    ["artifact_config_id"],
  ),
  outputSchema: answerSchema({
    status: described.word(
      ["ready", "incomplete", "missing_config", "unknown"],
      "Whether all that is required is there; optional contents do not count",
    ),
    total_dependencies: described.count("Contents that it is made of"),
    ready: described.count("Those whose wanted version is stored"),
    missing: described.count("Those that are missing, optional ones too"),
    dependencies: described.list(DEPENDENCY, "In the order of assembly"),
    assembly_order: described.list(described.text("A content"), "Their ids in the order of assembly"),
    missing_content_ids: {
      type: ["array", "null"],
      items: described.text("A content"),
      description: "Those that are missing, optional ones too; null: none, or it was not looked at",
    },
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  guide: {
    examples: [
      { input: { artifact_config_id: "book" }, description: "Whether everything is there to assemble it" },
      {
        input: { artifact_config_id: "book", show_metadata: true },
        description: "The same, and when each content was generated",
      },
    ],
    common_errors: [
      { code: "config_not_found", message: "No artifact config is saved under that id" },
      { code: "assembly_failed", message: "The saved artifact config is not valid; violations has the reasons" },
      { code: "invalid_config_id", message: "artifact_config_id is no id of a saved config" },
    ],
    typical_ms: "1-50",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export const traceDependenciesTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { artifact_config_id: id, check_status = true, show_metadata = false } = args as Args;
    const { config } = await bench.configs.artifact(id);
    const found = check_status || show_metadata ? await lookAt(bench, config) : NOTHING;
    return { ...traceDependencies(config, { checkStatus: check_status, showMetadata: show_metadata, ...found }) };
  },
});

type Found = Pick<TraceInput, "versionsOf" | "hasConfig">;

const NOTHING: Found = { versionsOf: () => [], hasConfig: () => false };

const lookAt = async ({ versions, saved }: Workbench, { content }: ArtifactConfig): Promise<Found> => {
  const stored = new Map<string, readonly StoredVersion[]>();
  const configured = new Set<string>();
  for (const id of new Set(content.children.map((child) => child.id))) {
    stored.set(id, await versions.versionsOf(id));
    if ((await saved.find("content", id)) !== null) configured.add(id);
  }
  return { versionsOf: (id) => stored.get(id) ?? [], hasConfig: (id) => configured.has(id) };
};
