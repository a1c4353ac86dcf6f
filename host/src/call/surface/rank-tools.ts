/**
 * The order in which a search or a suggestion shows tools: more query terms covered, then score, then name. A term of three
 * letters or more also covers a word of the name that differs in one.
 */
import { isOneTypoAway } from "../../kernel/is-one-typo-away.ts";
import { plainTerms } from "../../kernel/plain-terms.ts";
import type { ToolRow } from "../../kernel/surface.ts";

interface Ranked {
  readonly row: ToolRow;
  readonly covered: number;
  readonly score: number;
}

interface Search {
  readonly query: string;
  readonly terms: readonly string[];
  readonly aliasesOf: (row: ToolRow) => string;
}

const rank = (row: ToolRow, { query, terms, aliasesOf }: Search): Ranked => {
  const name = row.name.toLowerCase();
  const text = `${row.title ?? ""} ${row.description ?? ""} ${aliasesOf(row)}`.toLowerCase();
  let covered = 0;
  let score = (name.includes(query) ? 200 : 0) + (text.includes(query) ? 100 : 0);
  for (const term of terms) {
    const inName = name.includes(term);
    const inText = text.includes(term);
    const nearly = !inName && !inText && term.length > 2 && plainTerms(name).some((word) => isOneTypoAway(word, term));
    if (inName || inText || nearly) covered++;
    score += (inName ? 20 : 0) + (inText ? 10 : 0) + (nearly ? 5 : 0);
  }
  return { row, covered, score };
};

/** `aliasesOf`: further words that a tool is found by. */
export const rankTools = (
  rows: readonly ToolRow[],
  query: string,
  aliasesOf: Search["aliasesOf"] = () => "",
): readonly ToolRow[] => {
  const search = { query: query.toLowerCase().trim(), terms: plainTerms(query), aliasesOf };
  if (search.terms.length === 0) return rows;
  return rows
    .map((row) => rank(row, search))
    .filter((ranked) => ranked.covered > 0)
    .toSorted((a, b) => b.covered - a.covered || b.score - a.score || (a.row.name < b.row.name ? -1 : 1))
    .map((ranked) => ranked.row);
};
