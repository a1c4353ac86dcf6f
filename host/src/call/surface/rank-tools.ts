/**
 * The order in which a search or a suggestion shows tools: more query terms covered, then score, then name.
 */
import type { ToolRow } from "../../kernel/surface.ts";

const termsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((term) => term !== "")
    .map((term) => (term.length > 3 && term.endsWith("s") ? term.slice(0, -1) : term));

interface Ranked {
  readonly row: ToolRow;
  readonly covered: number;
  readonly score: number;
}

const rank = (row: ToolRow, query: string, terms: readonly string[]): Ranked => {
  const name = row.name.toLowerCase();
  const text = `${row.title ?? ""} ${row.description ?? ""}`.toLowerCase();
  let covered = 0;
  let score = (name.includes(query) ? 200 : 0) + (text.includes(query) ? 100 : 0);
  for (const term of terms) {
    const inName = name.includes(term);
    const inText = text.includes(term);
    if (inName || inText) covered++;
    score += (inName ? 20 : 0) + (inText ? 10 : 0);
  }
  return { row, covered, score };
};

export const rankTools = (rows: readonly ToolRow[], query: string): readonly ToolRow[] => {
  const terms = termsOf(query);
  if (terms.length === 0) return rows;
  return rows
    .map((row) => rank(row, query.toLowerCase().trim(), terms))
    .filter((ranked) => ranked.covered > 0)
    .toSorted((a, b) => b.covered - a.covered || b.score - a.score || (a.row.name < b.row.name ? -1 : 1))
    .map((ranked) => ranked.row);
};
