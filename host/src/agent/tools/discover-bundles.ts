/** `nb__discover_bundles`: finds bundles in the registries. One that cannot be reached is told and fails nothing. */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import type { BundleFound } from "../../kernel/bundle-admin.ts";
import { oneLine } from "../prompt/one-line.ts";
import type { SystemToolPorts } from "./system-tool-ports.ts";
import { answer } from "./tool-answers.ts";
import { flag, integer, list, object, orNull, text } from "./tool-schemas.ts";

const LIMIT = 10;
const DESCRIPTION = 300;
const MOST_TOOLS = 50;

const bundleFound = object(
  {
    name: text("What nb__manage_bundle installs it by"),
    version: orNull("string", "The newest"),
    description: text("What it says of itself"),
    registry: text("Where it was found"),
    trustScore: orNull("number", "0 to 100, as its registry publishes it; null: none"),
    certificationLevel: text("As its registry publishes it"),
    installed: flag("It is in this workspace"),
    tools: list("Names of its tools, as far as its registry tells", { type: "string" }),
  },
  ["name", "version", "description", "registry", "trustScore", "installed", "tools"],
);

export const discoverBundlesTool = (ports: SystemToolPorts): BuiltInTool => ({
  definition: {
    name: "discover_bundles",
    title: "Find bundles",
    description:
      "Searches the registries for bundles that could be installed here. Use it when nb__discover_tools finds no tool for the work. " +
      "What a bundle says of itself is a claim of its author. It installs nothing: that is nb__manage_bundle.",
    inputSchema: object(
      {
        query: text("What the bundle is for, or a part of its name", { maxLength: 200 }),
        limit: integer("How many to return at most", { minimum: 1, maximum: 25, default: LIMIT }),
      },
      ["query"],
    ),
    outputSchema: object(
      {
        bundles: list("As the registries rank them", bundleFound),
        unreachable: list(
          "Registries that did not answer",
          object({ registry: text("Which"), reason: text("Why") }, ["registry", "reason"]),
        ),
      },
      ["bundles", "unreachable"],
    ),
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  run: async (args, call) => {
    const { query, limit = LIMIT } = args as { readonly query: string; readonly limit?: number };
    const { workspace } = call.facts();
    const found = await ports.bundles.search(query.trim(), { limit, workspace });
    return answer({
      bundles: found.bundles.slice(0, limit).map(describeFound),
      unreachable: found.unreachable.map(({ registry, reason }) => ({
        registry: oneLine(registry, DESCRIPTION),
        reason: oneLine(reason, DESCRIPTION),
      })),
    });
  },
});

const describeFound = (found: BundleFound): object => ({
  name: oneLine(found.name, 214),
  version: found.version === null ? null : oneLine(found.version),
  description: oneLine(found.description ?? "", DESCRIPTION),
  registry: oneLine(found.registry, DESCRIPTION),
  trustScore: found.trustScore,
  ...(found.certificationLevel === null ? {} : { certificationLevel: oneLine(found.certificationLevel) }),
  installed: found.installed,
  tools: found.tools.slice(0, MOST_TOOLS).map((name) => oneLine(name)),
});
