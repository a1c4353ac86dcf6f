/** One line in lines of at most a width, as Python's textwrap does it. */
import { characterCount } from "../values/iterate.ts";

export interface WrapOptions {
  readonly width: number;
  readonly breakLongWords: boolean;
  readonly breakOnHyphens: boolean;
}

/** Where a line may break: at white space, after a hyphen between letters, around dashes. */
const pieces = (text: string, onHyphens: boolean): string[] => {
  const runs = text.split(/([\t\n\v\f\r ]+)/).filter((run) => run !== "");
  if (!onHyphens) return runs;
  return runs.flatMap((run) =>
    /^[\t\n\v\f\r ]/.test(run)
      ? [run]
      : run.split(/((?<!-)-{2,}(?=\w)|(?<=[\p{L}_]{2}-)(?=[\p{L}_]-?[\p{L}_]))/u).filter((part) => part),
  );
};

const isBlank = (piece: string): boolean => piece.trim() === "";

/** Looks at no more of a long word than it must: the rest of it comes here again. */
const fits = (piece: string, space: number): boolean =>
  piece.length <= space || (piece.length <= space * 2 && characterCount(piece) <= space);

/** Where the first so many characters end. */
const endOf = (word: string, count: number): number => {
  let end = 0;
  for (let at = 0; at < count && end < word.length; at += 1) end += word.codePointAt(end)! > 0xffff ? 2 : 1;
  return end;
};

/** A word that is longer than a line: as much as fits now, the rest stays. */
const breakWord = (word: string, space: number, onHyphens: boolean): [string, string] => {
  const end = endOf(word, space);
  const hyphen = onHyphens && end > 0 ? word.lastIndexOf("-", end - 1) : -1;
  const cut = hyphen > 0 && /[^-]/.test(word.slice(0, hyphen)) ? hyphen + 1 : end;
  return [word.slice(0, cut), word.slice(cut)];
};

export const wrapText = (text: string, { width, breakLongWords, breakOnHyphens }: WrapOptions): string[] => {
  const rest = pieces(text, breakOnHyphens).toReversed();
  const lines: string[] = [];
  while (rest.length > 0) {
    const line: string[] = [];
    let length = 0;
    if (lines.length > 0 && isBlank(rest.at(-1)!)) rest.pop();
    while (rest.length > 0 && fits(rest.at(-1)!, width - length)) {
      const piece = rest.pop()!;
      line.push(piece);
      length += characterCount(piece);
    }
    if (rest.length > 0 && !fits(rest.at(-1)!, width)) {
      const word = rest.pop()!;
      if (breakLongWords) {
        const [head, tail] = breakWord(word, width - length, breakOnHyphens);
        line.push(head);
        rest.push(tail);
      } else if (line.length === 0) line.push(word);
      else rest.push(word);
    }
    if (line.length > 0 && isBlank(line.at(-1)!)) line.pop();
    if (line.length > 0) lines.push(line.join(""));
  }
  return lines;
};
