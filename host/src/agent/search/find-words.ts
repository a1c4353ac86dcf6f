/** The words by which a term of a query is answered, each with the share of its weight that counts. */
import { formsOf } from "./forms-of.ts";
import { RELATED_WORDS } from "./related-words.ts";
import type { Vocabulary, Word } from "./vocabulary.ts";

export interface FoundWord {
  readonly word: Word;
  readonly share: number;
}

const FORM = 0.9;
const LONGER = 0.7;
const RELATED = 0.5;
const TYPO = 0.5;
const AROUND = 0.3;

export const findWords = (term: string, vocabulary: Vocabulary): readonly FoundWord[] => {
  const shares = new Map<Word, number>();
  const add = (word: Word | undefined, share: number): void => {
    if (word !== undefined && share > (shares.get(word) ?? 0)) shares.set(word, share);
  };
  const exact = vocabulary.get(term);
  const forms = formsOf(term);
  add(exact, 1);
  for (const form of forms) add(vocabulary.get(form), FORM);
  const isWritten = shares.size > 0;
  const { longer, around, typos } = vocabulary.like(term);
  for (const word of longer) add(word, (LONGER * term.length) / word.text.length);
  // What is a word, in whatever form, is taken to be meant so.
  if (!isWritten) for (const word of typos) add(word, TYPO);
  for (const form of [term, ...forms])
    for (const related of RELATED_WORDS.get(form) ?? []) add(vocabulary.get(related), RELATED);
  if (shares.size === 0) for (const word of around) add(word, (AROUND * term.length) / word.text.length);
  return Array.from(shares, ([word, share]) => ({ word, share }));
};
