/**
 * What a caller may have meant by a name that is not there: only names of its own surface.
 */
import { editDistance } from "@bailiwick/contract";
import type { ToolRow } from "../../kernel/surface.ts";
import { splitFlatName } from "./flat-name.ts";
import { rankTools } from "./rank-tools.ts";

const MOST = 5;
const MAX_DISTANCE = 3;

const near = (rows: readonly ToolRow[], wanted: string): string[] =>
  rows
    .filter((row) => Math.abs(row.name.length - wanted.length) <= MAX_DISTANCE)
    .map((row) => ({ name: row.name, distance: editDistance(row.name, wanted) }))
    .filter((found) => found.distance <= MAX_DISTANCE)
    .toSorted((a, b) => a.distance - b.distance)
    .map((found) => found.name);

export const suggestNames = (rows: readonly ToolRow[], wanted: string): readonly string[] => {
  const bare = splitFlatName(wanted)?.name ?? wanted;
  const sameName = rows.filter((row) => splitFlatName(row.name)?.name === bare).map((row) => row.name);
  const short = wanted.slice(0, 128);
  const found = new Set([...sameName, ...rankTools(rows, short).map((row) => row.name)]);
  if (found.size >= MOST) return [...found].slice(0, MOST);
  for (const name of near(rows, short)) found.add(name);
  return [...found].slice(0, MOST);
};
