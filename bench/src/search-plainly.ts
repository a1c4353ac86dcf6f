/**
 * What the index is compared with: every tool is looked at, and a term counts where it stands anywhere in the name or the
 * description. More terms first, then 200 and 100 for the whole query, 20 and 10 for each term, then the name.
 */
import type { CorpusTool } from "./search-corpus.ts";

const termsOf = (query: string): readonly string[] =>
  query
    .split(/[^\p{L}\p{N}]+/u)
    .filter((term) => term !== "")
    .map((term) => (term.length > 3 && term.endsWith("s") ? term.slice(0, -1) : term));

export const searchPlainly = (tools: readonly CorpusTool[], query: string, limit: number): readonly string[] => {
  const whole = query.toLowerCase().trim();
  const terms = termsOf(whole);
  const rank = (tool: CorpusTool): { name: string; covered: number; score: number } => {
    const name = tool.name.toLowerCase();
    const text = (tool.description ?? "").toLowerCase();
    const each = terms.map((term) => (name.includes(term) ? 20 : 0) + (text.includes(term) ? 10 : 0));
    const inWhole = (name.includes(whole) ? 200 : 0) + (text.includes(whole) ? 100 : 0);
    const score = each.reduce((sum, points) => sum + points, inWhole);
    return { name: tool.name, covered: each.filter((points) => points > 0).length, score };
  };
  return tools
    .map(rank)
    .filter(({ covered }) => covered > 0)
    .toSorted((a, b) => b.covered - a.covered || b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
};
