/**
 * The words of a text, as the index keeps them and as a query asks for them: split at whatever is neither letter nor digit,
 * without case and accents, an `s` at the end of more than three letters left out. Ideographs and kana are words of their own.
 */
const LONGEST_WORD = 40;

const PLAIN = /^[\0-\x7f]*$/;
const PLAIN_WORD = /[a-z0-9]+/g;
const MARKS = /\p{M}+/gu;
const ONE_BY_ONE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu;
const WORD = /[\p{L}\p{N}]+/gu;
const HUMP = /([\p{Ll}\p{N}])(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu;

const singular = (word: string): string => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word);

/** By way of upper case, in which some letters are the same that are not in lower case. */
const splitOther = (text: string): readonly string[] => {
  const folded = text.toUpperCase().toLowerCase().normalize("NFKD");
  return folded.replace(MARKS, "").replace(ONE_BY_ONE, " $& ").match(WORD) ?? [];
};

/** Of a text that the caller has cut to a length it can afford. */
export const wordsOf = (text: string): readonly string[] => {
  const found = PLAIN.test(text) ? (text.toLowerCase().match(PLAIN_WORD) ?? []) : splitOther(text);
  return found.map((word) => singular(word.length > LONGEST_WORD ? word.slice(0, LONGEST_WORD) : word));
};

/** Of a name: `getFileInfo` is also `get file info`, and `get_file_info` also `getfileinfo`. */
export const wordsOfName = (name: string): readonly string[] => {
  const parts = wordsOf(name);
  const humps = wordsOf(name.replace(HUMP, "$1$2 "));
  return [...parts, ...humps, ...(parts.length > 1 ? wordsOf(parts.join("")) : [])];
};
