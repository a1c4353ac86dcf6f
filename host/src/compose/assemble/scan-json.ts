/** What can be said of a JSON text before it is read, in one go through it. Of a text that is no JSON it says nothing. */
export interface JsonScan {
  /** There are no more than that. */
  readonly values: number;
  /** Lists and objects around the innermost value. */
  readonly depth: number;
  /** It may have numbers that would not be written as they stand there. */
  readonly hasOddNumbers: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const BACKSLASH = 92;
/** Every whole number with so many digits is kept exactly. */
const SAFE_DIGITS = 15;

export const scanJson = (text: string): JsonScan => {
  let [values, open, depth, hasOddNumbers] = [1, 0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values++;
    else if (code === 91 || code === 123) {
      values++;
      depth = Math.max(depth, ++open);
    } else if (code === 93 || code === 125) open--;
    else if (isDigit(code) || code === MINUS) {
      const end = endOfNumber(text, at);
      hasOddNumbers ||= isOdd(text, at, end);
      at = end - 1;
    }
  }
  return { values, depth, hasOddNumbers };
};

/** Where its last quote is. */
const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
};

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Digits, signs, points and exponents. */
const endOfNumber = (text: string, from: number): number => {
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code) && code !== MINUS && code !== 43 && code !== 46 && code !== 69 && code !== 101) break;
  }
  return at;
};

const isOdd = (text: string, from: number, end: number): boolean => {
  if (end - from > SAFE_DIGITS || (text.charCodeAt(from) === MINUS && text.charCodeAt(from + 1) === 48)) return true;
  for (let at = from + 1; at < end; at++) if (!isDigit(text.charCodeAt(at))) return true;
  return false;
};
