/** `list_generators`: the generators that there are now, those that lack something too. */
import { described } from "../keep/described.ts";
import type { Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

type Args = { readonly generator_type?: "builtin" | "plugin" | null; readonly include_plugins?: boolean };

const AVAILABILITY = {
  type: "object",
  properties: {
    status: described.word(["available", "unavailable"], "Whether it can be used now"),
    reason: described.text("Why not"),
    missing: described.list(described.text("A credential or a package"), "What it lacks"),
  },
  required: ["status"],
  description: "Whether it can be used now, and what it lacks",
};

const GENERATOR = described.record(
  {
    name: described.text("What implements it; of a plug-in its type"),
    type: described.text("What generation.patterns[0].type names it by"),
    version: described.text("Its version"),
    description: described.text("What it makes"),
    capabilities: described.list(described.text("One of them"), "What it can do"),
    source: described.word(["builtin", "plugin"], "Where it comes from"),
    availability: AVAILABILITY,
  },
  "One generator",
);

const DEFINITION = {
  name: "list_generators",
  title: "List generators",
  category: "query",
  description:
    "Lists the generators that turn a content config into text, sorted by type: the built-in ones and plug-ins, as they are now. " +
    "Use it to choose the type of a pattern, or to see what a generator lacks. How one is chosen for a config is in capabilities://generators.",
  inputSchema: described.input({
    generator_type: {
      type: ["string", "null"],
      enum: ["builtin", "plugin", null],
      default: null,
      description: "Only those that come from there; null: all",
    },
    include_plugins: described.flag("Whether plug-ins are listed", { default: true }),
  }),
  outputSchema: answerSchema({
    generators: described.list(GENERATOR, "By type"),
    total_count: described.count("How many are listed"),
    filtered: described.flag("Whether some kind was left out as the caller wished"),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  guide: {
    examples: [
      { input: {}, description: "All generators" },
      { input: { generator_type: "plugin" }, description: "Only those that were added here" },
    ],
    common_errors: [],
    typical_ms: "1-20",
  },
  timeoutMs: 5_000,
} as const satisfies Omit<ComposeTool, "run">;

export const listGeneratorsTool = (bench: Workbench): ComposeTool => ({
  ...DEFINITION,
  run: async (args) => {
    const { generator_type: source = null, include_plugins: withPlugins = true } = args as Args;
    const { generators } = await bench.generators.look();
    const rows = generators
      .filter(
        ({ entry }) => (source === null || entry.source === source) && (withPlugins || entry.source === "builtin"),
      )
      .toSorted((a, b) => (a.entry.type < b.entry.type ? -1 : 1))
      .map(({ entry, availability }) => ({
        name: entry.name,
        type: entry.type,
        version: entry.version,
        description: entry.description,
        capabilities: entry.capabilities,
        source: entry.source,
        availability,
      }));
    return { generators: rows, total_count: rows.length, filtered: source !== null || !withPlugins };
  },
});
