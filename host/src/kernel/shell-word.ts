/** Words of a command that people are told to run: names are often somebody else's choice. */

/** As a shell takes it. */
export const shellWord = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** What a program reads and a person does not see, or not as it is. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]/u;

/** Whoever types what is shown names this and nothing else; a word that begins with "-" is read as a flag. */
export const canBeTyped = (word: string): boolean => word !== "" && !word.startsWith("-") && !UNSEEN.test(word);
