/**
 * One search: files that have every term somewhere; first those that have them all in the filename, then those that have
 * them all in the labels, each the newest first. It goes term by term and looks at the clock all the while, since one word
 * that is in every file takes long.
 */
import type { FileSearch } from "../../kernel/files.ts";
import type { IndexReader } from "./index-reader.ts";
import type { Hits } from "./text-messages.ts";

export interface SearchParts {
  readonly index: IndexReader;
  /** Rows `{rowid}` of the files between two that have the term in their text. */
  readonly inText: (term: string, from: number, to: number) => Iterable<unknown>;
  readonly isLate: () => boolean;
}

/** Null: there was not enough time. */
export const searchText = (
  parts: SearchParts,
  terms: readonly string[],
  filter: Omit<FileSearch, "query">,
): Hits | null => {
  const { index } = parts;
  let found = index.selected(filter);
  // The longest words are the rarest, as a rule, and few files are soon looked through.
  for (const term of new Set(terms.toSorted((a, b) => b.length - a.length))) {
    if (found.size === 0) break;
    const having = filesHaving(parts, term, found);
    if (having === null) return null;
    found = having;
  }
  return index.ranked(found, terms, filter.limit);
};

const filesHaving = (
  { index, inText, isLate }: SearchParts,
  term: string,
  among: ReadonlySet<number>,
): Set<number> | null => {
  const having = new Set<number>();
  for (const seq of index.labelled(term)) if (among.has(seq)) having.add(seq);
  const [from, to] = boundsOf(among);
  if (isLate()) return null;
  for (const row of inText(term, from, to)) {
    if (isLate()) return null;
    const { rowid } = row as { rowid: number };
    if (among.has(rowid)) having.add(rowid);
  }
  return having;
};

const boundsOf = (seqs: ReadonlySet<number>): [number, number] => {
  let [from, to] = [Number.MAX_SAFE_INTEGER, 0];
  for (const seq of seqs) {
    from = Math.min(from, seq);
    to = Math.max(to, seq);
  }
  return [from, to];
};
