/** Catalogues as a server might list them, for the tests of pinned definitions. */
import { definitionOf } from "../../kernel/definition-of.ts";
import { EMPTY_CATALOGUE, type Catalogue, type ListedTool } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";

export const listedTool = (name: string, more: Readonly<Record<string, unknown>> = {}): ListedTool => {
  const value = { name, description: `the tool ${name}`, inputSchema: { type: "object" }, ...more };
  return { name, value, json: rawJson(JSON.stringify(value)), definition: definitionOf(value) };
};

export const listedCatalogue = (
  tools: readonly (string | ListedTool)[],
  instructions: string | null = null,
): Catalogue => ({
  ...EMPTY_CATALOGUE,
  tools: tools.map((tool) => (typeof tool === "string" ? listedTool(tool) : tool)),
  instructions,
});
