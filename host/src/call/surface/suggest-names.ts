/**
 * What a caller may have meant by a name that is not there: only names of its own surface.
 */
import { editDistance } from "@bailiwick/contract";
import { plainTerms } from "../../kernel/plain-terms.ts";
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

/** By what is asked for behind the provider, which says nothing of that; among those, the ones of the provider first. */
const alike = (rows: readonly ToolRow[], bare: string, provider: string | undefined): string[] => {
  if (plainTerms(bare).length === 0) return [];
  const other = (row: ToolRow): number => (row.provider === provider ? 0 : 1);
  return rankTools(rows, bare)
    .toSorted((a, b) => other(a) - other(b))
    .map(({ name }) => name);
};

export const suggestNames = (rows: readonly ToolRow[], wanted: string): readonly string[] => {
  const split = splitFlatName(wanted);
  const bare = split?.name ?? wanted;
  const sameName = rows.filter((row) => splitFlatName(row.name)?.name === bare).map((row) => row.name);
  const short = wanted.slice(0, 128);
  const found = new Set([...sameName, ...alike(rows, bare.slice(0, 128), split?.provider)]);
  if (found.size >= MOST) return [...found].slice(0, MOST);
  for (const name of near(rows, short)) found.add(name);
  return [...found].slice(0, MOST);
};
