/** Text as a number, as Python's int() and float() read it. Null: it is none. */
const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const NAMED = /^([+-]?)(?:(inf)(?:inity)?|nan)$/i;
const PREFIXES: Readonly<Record<number, string>> = { 2: "b", 8: "o", 16: "x" };
const MAX_DIGITS = 4300;

export const parseFloatText = (text: string): number | null => {
  const trimmed = text.trim();
  const named = NAMED.exec(trimmed);
  if (named !== null) return named[2] === undefined ? Number.NaN : named[1] === "-" ? -Infinity : Infinity;
  return trimmed.length <= MAX_DIGITS && FLOAT.test(trimmed) ? Number(trimmed.replaceAll("_", "")) : null;
};

const valueIn = (digits: string, base: number): bigint | null => {
  let value = 0n;
  for (const digit of digits.toLowerCase()) {
    const code = Number.parseInt(digit, 36);
    if (Number.isNaN(code) || code >= base) return null;
    value = value * BigInt(base) + BigInt(code);
  }
  return value;
};

/** Base 0 reads the prefix; 2, 8 and 16 accept theirs. */
export const parseIntText = (text: string, base: number): bigint | null => {
  const match = /^([+-]?)(0[box]_?(?=[\da-f]))?([\da-z]+(?:_[\da-z]+)*)$/i.exec(text.trim());
  const whole = /^([+-]?)([\da-z]+(?:_[\da-z]+)*)$/i.exec(text.trim());
  if (match === null || whole === null || text.length > MAX_DIGITS) return null;
  const prefix = match[2]?.[1]?.toLowerCase();
  const given =
    prefix === undefined ? undefined : Object.keys(PREFIXES).find((key) => PREFIXES[Number(key)] === prefix);
  const usesPrefix = given !== undefined && (base === 0 || base === Number(given));
  const radix = usesPrefix ? Number(given) : base === 0 ? 10 : base;
  if (radix < 2 || radix > 36) return null;
  const value = valueIn((usesPrefix ? match[3]! : whole[2]!).replaceAll("_", ""), radix);
  return value !== null && match[1] === "-" ? -value : value;
};
