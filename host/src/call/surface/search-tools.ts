/** The rows of tools that a query finds, best first; all of them, in their order, where nothing is asked for. */
import type { ToolRow } from "../../kernel/surface.ts";
import { rankTools } from "./rank-tools.ts";
import type { SheetTool } from "./render-tool.ts";
import { rowOf } from "./row-of.ts";
import { searchAliases } from "./search-aliases.ts";

export interface ToolSearch {
  readonly query: string | undefined;
  /** Only those of which nothing is missing. */
  readonly satisfied: boolean;
}

/** What cannot be read is not met. */
const isSatisfied = ({ requirements }: SheetTool): boolean => requirements?.missing.length === 0;

export const searchTools = (entries: readonly SheetTool[], { query, satisfied }: ToolSearch): readonly ToolRow[] => {
  const shown = satisfied ? entries.filter(isSatisfied) : entries;
  if (query === undefined) return shown.map(rowOf);
  const tools = new Map(shown.map((entry) => [rowOf(entry), entry.tool]));
  return rankTools([...tools.keys()], query, (row) => searchAliases(tools.get(row)!));
};
