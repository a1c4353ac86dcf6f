/** Capitals as Python sets them. */

const first = (text: string): string => String.fromCodePoint(text.codePointAt(0)!);

export const capitalise = (text: string): string => {
  if (text === "") return "";
  const start = first(text);
  return start.toUpperCase() + text.slice(start.length).toLowerCase();
};

/** str.title: a letter that follows none is a capital, so "it's" is "It'S". */
export const titleCase = (text: string): string =>
  text.replaceAll(/[\p{Lu}\p{Ll}\p{Lt}]+/gu, (word) => capitalise(word));

export const swapCase = (text: string): string =>
  text.replaceAll(/\p{L}/gu, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );

export const isTitle = (text: string): boolean => /[\p{Lu}\p{Ll}]/u.test(text) && titleCase(text) === text;
