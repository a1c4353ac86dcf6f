/**
 * The order in which a search or a suggestion shows tools: more query terms covered, then score, then name. A term of three
 * letters or more also covers a word of the name that differs in one.
 */
import type { ToolRow } from "../../kernel/surface.ts";

const termsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((term) => term !== "")
    .map((term) => (term.length > 3 && term.endsWith("s") ? term.slice(0, -1) : term));

/** One letter more, less or other, or two changed places. */
const isOneTypoAway = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const [restA, restB] = [endA - start, endB - start];
  if (restA <= 1 && restB <= 1) return true;
  return restA === 2 && restB === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
};

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
    const nearly = !inName && !inText && term.length > 2 && termsOf(name).some((word) => isOneTypoAway(word, term));
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
  const search = { query: query.toLowerCase().trim(), terms: termsOf(query), aliasesOf };
  if (search.terms.length === 0) return rows;
  return rows
    .map((row) => rank(row, search))
    .filter((ranked) => ranked.covered > 0)
    .toSorted((a, b) => b.covered - a.covered || b.score - a.score || (a.row.name < b.row.name ? -1 : 1))
    .map((ranked) => ranked.row);
};
