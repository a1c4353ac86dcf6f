/**
 * Further words that a tool is found by, as one text, empty where it has none: `_meta.dcc.searchAliases`, and what the skill
 * package that it is of says it is for.
 */
import type { ListedTool } from "../../kernel/provider.ts";

const LONGEST = 2_000;
const CARRIED = ["intent", "tool_role", "produces"] as const;

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];

export const searchAliases = ({ value, carried }: Pick<ListedTool, "value" | "carried">): string => {
  const aliases = textsOf(memberOf(memberOf(value["_meta"], "dcc"), "searchAliases"));
  const said = carried === undefined ? [] : CARRIED.flatMap((key) => textsOf([carried[key]].flat()));
  return [...aliases, ...said].join(" ").slice(0, LONGEST);
};
