/** A word of a command that people are told to run, as a shell takes it: names are often somebody else's choice. */
export const shellWord = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
