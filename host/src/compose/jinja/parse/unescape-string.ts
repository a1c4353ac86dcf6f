/** The escapes of Python's string literals; an unknown one stays as it is written. Null: one is cut off, or a name of a character. */
const SIMPLE: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const OCTAL = /[0-7]{1,3}/y;
const HEX = /^[\da-f]+$/i;

const hexAt = (text: string, at: number, length: number): string | null => {
  const digits = text.slice(at, at + length);
  if (digits.length < length || !HEX.test(digits)) return null;
  const code = Number.parseInt(digits, 16);
  return code > 0x10ffff ? null : String.fromCodePoint(code);
};

export const unescapeString = (text: string): string | null => {
  if (!text.includes("\\")) return text;
  let made = "";
  let from = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", from)) {
    made += text.slice(from, at);
    const mark = text[at + 1] ?? "";
    OCTAL.lastIndex = at + 1;
    const octal = OCTAL.exec(text)?.[0];
    const length = LENGTHS[mark];
    if (mark === "N") return null;
    if (octal !== undefined) {
      made += String.fromCharCode(Number.parseInt(octal, 8));
      from = at + 1 + octal.length;
    } else if (length !== undefined) {
      const character = hexAt(text, at + 2, length);
      if (character === null) return null;
      made += character;
      from = at + 2 + length;
    } else {
      made += SIMPLE[mark] ?? `\\${mark}`;
      from = at + 2;
    }
  }
  return made + text.slice(from);
};
