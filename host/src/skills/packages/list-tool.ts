/** A tool of a package as it is listed. */
import { hash } from "node:crypto";
import { definitionOf } from "../../kernel/definition-of.ts";
import type { ListedTool } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { stable } from "../../kernel/stable.ts";
import type { AcceptedPackage } from "./package-pins.ts";
import type { PackageTool, ScriptKind, SkillPackage } from "./skill-package.ts";

type ListedPackage = Pick<SkillPackage, "name" | "digest" | "searchAliases">;

export const listTool = (found: ListedPackage, tool: PackageTool): ListedTool => {
  const { description, inputSchema, outputSchema, annotations, execution, risk } = tool;
  const carried = { ...tool.carried, ...(tool.groups.length === 0 ? {} : { groups: tool.groups }) };
  const title = annotations?.["title"];
  const value = {
    name: tool.name,
    ...(title === undefined ? {} : { title }),
    ...(description === null ? {} : { description }),
    inputSchema,
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(annotations === null ? {} : { annotations }),
    ...(execution === "async" ? { execution: { taskSupport: "optional" } } : {}),
    _meta: { dcc: dccOf(found, tool) },
  };
  return {
    ...listed(tool.name, value, found.digest),
    ...(risk === null ? {} : { riskFloor: risk }),
    ...(Object.keys(carried).length === 0 ? {} : { carried }),
  };
};

/** Over what `tools.yaml` says of it and its script: another one where either is, whatever else of its package is. */
export const toolDigest = ({ files }: Pick<SkillPackage, "files">, tool: PackageTool): string =>
  `sha256:${hash("sha256", `${stable(tool)}\n${files.get(tool.script)}`)}`;

/** As it was accepted; of one that nobody has looked at, the name alone. */
export const listHeld = (name: string, accepted: AcceptedPackage | null): ListedTool => {
  const known = accepted?.tools.get(name);
  return known === undefined
    ? {
        ...listed(name, { name, description: NOT_ACCEPTED, inputSchema: { type: "object" } }, null),
        held: "definition_new",
      }
    : {
        ...listed(name, JSON.parse(known.json) as Record<string, unknown>, accepted?.digest ?? null),
        held: "definition_changed",
      };
};

const NOT_ACCEPTED =
  "Not accepted yet: nobody has looked at how its package defines this tool, so it cannot be called.";

/** A tool is what its package does: a yes to a call of it is not for another script behind the same words. */
const listed = (name: string, value: Readonly<Record<string, unknown>>, digest: string | null): ListedTool => ({
  name,
  definition: `sha256:${hash("sha256", `${definitionOf(value)}\n${digest}`)}`,
  json: rawJson(JSON.stringify(value)),
  value,
});

const dccOf = ({ name, searchAliases: ofAll }: ListedPackage, tool: PackageTool): object => {
  const { required, timeoutS, incompleteSchema, nextTools } = tool;
  const searchAliases = [...new Set([...tool.searchAliases, ...ofAll])];
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
  readonly which: (program: string) => string | null;
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
