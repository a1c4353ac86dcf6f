/** A tool of a package as it is listed. */
import { definitionOf } from "../../kernel/definition-of.ts";
import type { ListedTool } from "../../kernel/provider.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { PackageTool, ScriptKind } from "./skill-package.ts";

/** What else is known of a tool, for descriptors and search; beside what the `dcc` block may hold. */
const CARRIED = "dev.bailiwick/package";

export const listTool = (name: string, tool: PackageTool): ListedTool => {
  const { description, inputSchema, outputSchema, annotations, execution, risk } = tool;
  const { carried, groups } = tool;
  const more = { ...carried, ...(groups.length === 0 ? {} : { groups }), ...(risk === null ? {} : { risk }) };
  const title = annotations?.["title"];
  const value = {
    name: tool.name,
    ...(title === undefined ? {} : { title }),
    ...(description === null ? {} : { description }),
    inputSchema,
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(annotations === null ? {} : { annotations }),
    ...(execution === "async" ? { execution: { taskSupport: "optional" } } : {}),
    _meta: { dcc: dccOf(name, tool), ...(Object.keys(more).length === 0 ? {} : { [CARRIED]: more }) },
  };
  return { ...listed(tool.name, value), ...(risk === null ? {} : { riskFloor: risk }) };
};

/** As it was accepted; of one that nobody has looked at, the name alone. */
export const listHeld = (name: string, accepted: RawJson | null): ListedTool =>
  accepted === null
    ? { ...listed(name, { name, description: NOT_ACCEPTED, inputSchema: { type: "object" } }), held: "definition_new" }
    : { ...listed(name, JSON.parse(accepted) as Record<string, unknown>), held: "definition_changed" };

const NOT_ACCEPTED =
  "Not accepted yet: nobody has looked at how its package defines this tool, so it cannot be called.";

const listed = (name: string, value: Readonly<Record<string, unknown>>): ListedTool => ({
  name,
  definition: definitionOf(value),
  json: rawJson(JSON.stringify(value)),
  value,
});

const dccOf = (name: string, tool: PackageTool): object => {
  const { required, timeoutS, searchAliases, incompleteSchema, nextTools } = tool;
  const hint = `tools.yaml of ${name} has no input_schema for ${tool.name}, so its arguments are not checked.`;
  return {
    ...(required.length === 0 ? {} : { required_capabilities: required }),
    timeoutHintSecs: timeoutS,
    ...(searchAliases.length === 0 ? {} : { searchAliases }),
    ...(incompleteSchema ? { incompleteSchema: true, schemaHint: hint } : {}),
    ...(nextTools === null ? {} : { next_tools: { on_success: nextTools.onSuccess, on_failure: nextTools.onFailure } }),
  };
};

/** What keeps each kind of script from running on this machine. */
export interface Runners {
  /** Where a program lies; null: it is not there. */
  which(program: string): string | null;
  readonly typeStripping: boolean;
}

export const barredBy = (kind: ScriptKind, { which, typeStripping }: Runners): ListedTool["barred"] | null => {
  if (kind === "python" && which("python3") === null) {
    return {
      state: "unavailable",
      reason: "python3_missing",
      next: "Install python3 for the host's user, and reload.",
    };
  }
  if (kind === "typescript" && !typeStripping) {
    const next = "Run the host with Node.js 22.18 or later, or compile the script to .js.";
    return { state: "unavailable", reason: "type_stripping_missing", next };
  }
  return null;
};
