/**
 * How text is laid out for the search and what a query looks for in it. Case and punctuation do not count; ideographs and kana
 * are words of their own. A word of the query is found wherever it stands, also inside a word; one of two characters at the
 * beginning of a word, one of a single character as a word. The index is one of trigrams, hence the spaces around words.
 */
const OTHER = /[^\p{L}\p{N}\p{M}]+/gu;
const ONE_BY_ONE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu;
const SPACES = / {2,}/g;

export const searchable = (text: string): string => {
  const plain = text.normalize("NFKC").toLowerCase().replace(OTHER, " ");
  return ` ${plain.replace(ONE_BY_ONE, " $& ")} `.replace(SPACES, " ");
};

/** One phrase of the index for each word of the query, quoted; empty when the query has no letter or digit. */
export const searchTerms = (query: string): readonly string[] =>
  query
    .split(/\s+/)
    .map((word) => searchable(word).trim())
    .filter((word) => word !== "")
    .map((word) => `"${padded(word)}"`);

const padded = (word: string): string => {
  const { length } = Array.from(word);
  return length >= 3 ? word : length === 2 ? ` ${word}` : ` ${word} `;
};
