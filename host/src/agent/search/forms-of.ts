/**
 * Other forms of an English word that a tool may use for the same: `renaming` for rename, `directory` for directories. Only to
 * be looked up among words that exist, so what is no word does no harm.
 */
const ENDINGS = ["", "e", "ing", "ed", "ion", "er"];
const SUFFIX = /(?:ing|ed|ion|er|e)$/;
const DOUBLED = /([bdgklmnprt])\1$/;
const SHORTEST_BASE = 3;

const basesOf = (word: string): readonly string[] => {
  const base = word.replace(SUFFIX, "");
  if (base === word) return [word];
  return DOUBLED.test(base) ? [base, base.slice(0, -1)] : [base];
};

/** Of a word as `wordsOf` gives it, without its plural `s`. */
export const formsOf = (word: string): readonly string[] => {
  const forms = basesOf(word)
    .filter((base) => base.length >= SHORTEST_BASE)
    .flatMap((base) => ENDINGS.map((ending) => base + ending));
  if (word.endsWith("ie")) forms.push(`${word.slice(0, -2)}y`);
  return forms.filter((form) => form !== word);
};
