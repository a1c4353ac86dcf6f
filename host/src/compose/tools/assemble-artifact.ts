/** `assemble_artifact`: one text of stored contents, written below a root of the workspace. */
import type { Assemblies } from "../assemble/assemblies.ts";
import { separatorOf } from "../assemble/separator-of.ts";
import { ComposeError } from "../compose-error.ts";
import { checkConfigId } from "../configs/config-id.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import { readContext } from "../configs/read-context.ts";
import type { RootList } from "../../kernel/roots.ts";
import { runAssembly, type Assembled, type AssemblyPorts } from "../outputs/run-assembly.ts";
import { Turns } from "../storage/turns.ts";
import type { ComposeCall, Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

export interface AssembleArtifactOptions {
  readonly assemblies: Assemblies;
  /** Those that the configuration gives the workspace, never a client's. */
  readonly roots: () => RootList;
}

export const assembleArtifactTool = (bench: Workbench, options: AssembleArtifactOptions): ComposeTool => {
  const ports: AssemblyPorts = { bench, ...options, turns: new Turns() };
  return { ...DESCRIBED, run: (args, call) => run(ports, args, call).catch(ownCode) };
};

type Args = Readonly<Record<string, unknown>>;

const run = async (ports: AssemblyPorts, args: Args, call: ComposeCall): Promise<Args> => {
  const began = performance.now();
  const id = checkConfigId(args["artifact_config_id"]);
  const context = readContext(args["context"]);
  const { config: saved, reading } = await ports.bench.configs.artifact(id);
  const config = withOutput({ ...saved, id }, args["output_path"]);
  const done = await runAssembly(ports, {
    config,
    context,
    force: args["force"] === true,
    generateMissing: args["generate_missing"] === true,
    call,
  });
  const told = { ...done, warnings: [...reading.warnings, ...done.warnings] };
  return tell(config, told, Math.round(performance.now() - began));
};

const withOutput = (config: ArtifactConfig, path: unknown): ArtifactConfig => {
  if (typeof path !== "string") return config;
  const [first, ...others] = config.metadata.outputs;
  return { ...config, metadata: { ...config.metadata, outputs: [{ ...first!, file: path }, ...others] } };
};

const tell = (config: ArtifactConfig, done: Assembled, ms: number): Args => {
  const { id, metadata } = config;
  const { status, outputs, components, skipped, warnings } = done;
  // Skipped for one of several that is there: the others may not be.
  const shown = outputs.find(({ size }) => size !== null) ?? outputs[0]!;
  const existing = outputs.filter(({ size }) => size !== null).map(({ told }) => told);
  return {
    artifact_id: id,
    output_path: shown.told,
    output_uri: shown.uri,
    content_count: done.contents,
    size_bytes: shown.size ?? 0,
    status,
    metadata: {
      composition_strategy: metadata.compositionStrategy ?? "concat",
      components,
      skipped_components: skipped,
      separator: separatorOf(config),
      total_assembly_time_ms: ms,
      outputs: outputs.map(({ told, format, size }) => ({ path: told, format, size_bytes: size ?? 0 })),
      ...(status === "skipped" ? { reason: "already_exists", existing } : {}),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
};

/** Rendering and reading say `generation_failed`; of an artifact it is the assembly that failed. */
const ownCode = (error: unknown): never => {
  if (error instanceof ComposeError && error.code === "generation_failed")
    throw new ComposeError("assembly_failed", error.message, error.details);
  throw error;
};

const TEXT = { type: "string" } as const;
const COUNT = { type: "integer", minimum: 0 } as const;
const rows = (description: string, properties: Readonly<Record<string, object>>): object => ({
  type: "array",
  description,
  items: { type: "object", properties, required: Object.keys(properties) },
});

const METADATA = {
  type: "object",
  description: "How it was assembled",
  properties: {
    composition_strategy: { enum: ["concat", "merge", "template"], description: "How the texts became one" },
    components: rows("The stored versions it is made of, in order", {
      content_id: { ...TEXT, description: "Whose text" },
      version_id: { ...TEXT, description: "Which version of it" },
      size_bytes: { ...COUNT, description: "UTF-8 bytes of that version" },
    }),
    skipped_components: rows("Children it goes without", {
      content_id: { ...TEXT, description: "Whose text" },
      reason: { ...TEXT, description: "Why it was skipped" },
    }),
    separator: { ...TEXT, description: "What stands between the texts" },
    total_assembly_time_ms: { type: "number", minimum: 0, description: "With what was generated for it" },
    outputs: rows("Every file of it", {
      path: { ...TEXT, description: "As output_path names it" },
      format: { ...TEXT, description: "As the config says" },
      size_bytes: { ...COUNT, description: "UTF-8 bytes of the file" },
    }),
    reason: { const: "already_exists", description: "Only where status is skipped" },
    existing: { type: "array", items: TEXT, description: "Only where status is skipped: files that are there already" },
    warnings: {
      type: "array",
      items: { type: "object" },
      description: "What is worth a word, such as what nothing here does",
    },
  },
  required: ["composition_strategy", "components", "skipped_components", "separator", "total_assembly_time_ms"],
} as const;

const DESCRIBED: Omit<ComposeTool, "run"> = {
  name: "assemble_artifact",
  title: "Assemble an artifact",
  category: "artifact",
  description:
    "Puts stored contents together as a saved artifact config says, and writes the result to every file in its outputs, " +
    "below a root of the workspace. It uses the versions that are stored and generates nothing, unless generate_missing " +
    "is true: then contents of which nothing is stored are generated first. Use it when the contents of a document are " +
    "there; a file that exists is replaced only with force true.",
  inputSchema: {
    type: "object",
    properties: {
      artifact_config_id: { type: "string", description: "Id of a saved artifact config" },
      output_path: {
        type: "string",
        description: "Written instead of the first output's file: folder/name below a root, or workspace://folder/name",
      },
      force: { type: "boolean", default: false, description: "Replace files that exist" },
      context: { description: "An object, or a text that holds one: what conditions and the template look into" },
      generate_missing: {
        type: "boolean",
        default: false,
        description: "Generate children of which nothing is stored first, with this context",
      },
    },
    required: ["artifact_config_id"],
    additionalProperties: false,
  },
  outputSchema: answerSchema({
    artifact_id: { ...TEXT, description: "The config's id" },
    output_path: {
      ...TEXT,
      description: "The first output, or where it was skipped the first that is there, from the first root",
    },
    output_uri: { ...TEXT, description: "The same as a file: URI" },
    content_count: { ...COUNT, description: "Children whose texts are in it; 0 where it was skipped" },
    size_bytes: { ...COUNT, description: "UTF-8 bytes of the file that output_path names" },
    status: { enum: ["assembled", "skipped", "reassembled"], description: "skipped: a file of it exists already" },
    metadata: METADATA,
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  guide: {
    examples: [
      { input: { artifact_config_id: "handbook" }, description: "Write the handbook from what is stored" },
      {
        input: { artifact_config_id: "handbook", generate_missing: true, context: { audience: "operators" } },
        description: "Generate what is missing first, for operators",
      },
      {
        input: { artifact_config_id: "handbook", output_path: "docs/handbook.md", force: true },
        description: "Write it to another file, and replace that",
      },
    ],
    common_errors: [
      { code: "invalid_config_id", message: "The id is empty or has characters that no id has" },
      { code: "invalid_context", message: "The context is no JSON object" },
      { code: "config_not_found", message: "There is no artifact config of this id" },
      { code: "content_missing", message: "Nothing is stored for a required child; details.next has the calls" },
      { code: "content_not_approved", message: "A child needs an approved version, and none is" },
      { code: "too_many_components", message: "It has more components than max_artifact_components" },
      { code: "content_too_large", message: "It has more bytes than max_content_size_bytes" },
      {
        code: "assembly_failed",
        message: "The texts cannot be merged, the template failed, or a dependency is not there",
      },
      {
        code: "invalid_output_path",
        message: "An output leads out of the roots or to a place that nothing is written to",
      },
      { code: "write_failed", message: "The system refused to write the file" },
      {
        code: "queue_full",
        message: "Too much waits in this workspace; details.retry_after_ms says when to come again",
      },
    ],
    typical_ms: "1000-5000",
  },
  timeoutMs: 60_000,
};
