/** What a tool is found by. Pure. */
import type { ListedTool } from "../../kernel/provider.ts";
import type { ToolRow } from "../../kernel/surface.ts";
import type { ToolEntry } from "../search/tool-words.ts";

/** What the skill package of a tool says it is for. */
const CARRIED = ["intent", "tool_role", "produces"] as const;
const MOST = 64;

export const toolEntry = ({ name, title, description }: ToolRow, tool: ListedTool | null): ToolEntry => ({
  name,
  title,
  description,
  aliases: tool === null ? [] : aliasesOf(tool),
  properties: tool === null ? [] : keysOf(memberOf(tool.value["inputSchema"], "properties")),
});

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;

const keysOf = (value: unknown): readonly string[] =>
  typeof value === "object" && value !== null ? Object.keys(value).slice(0, MOST) : [];

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.slice(0, MOST).filter((text) => typeof text === "string") : [];

const aliasesOf = ({ value, carried }: ListedTool): readonly string[] => [
  ...textsOf(memberOf(memberOf(value["_meta"], "dcc"), "searchAliases")),
  ...(carried === undefined ? [] : CARRIED.flatMap((key) => textsOf([carried[key]].flat()))),
];
