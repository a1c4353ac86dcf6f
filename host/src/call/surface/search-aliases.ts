/** Further words that a tool wants to be found by, `_meta.dcc.searchAliases`, as one text; empty where it has none. */
import type { ListedTool } from "../../kernel/provider.ts";

const LONGEST = 2_000;

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

export const searchAliases = ({ value }: Pick<ListedTool, "value">): string => {
  const aliases = memberOf(memberOf(value["_meta"], "dcc"), "searchAliases");
  if (!Array.isArray(aliases)) return "";
  return aliases
    .filter((alias) => typeof alias === "string")
    .join(" ")
    .slice(0, LONGEST);
};
