/** Arbitrary JSON texts in odd spelling: every way to write a number, a character or a blank that the grammar allows. */
import fc from "fast-check";

/** Also those that no double can hold; fine in results, refused in arguments. */
const WILD_NUMBERS = [
  "12345678901234567890",
  "-0.0e-0",
  "1e400",
  "1e-400",
  "0.12345678901234567890123",
  "-9007199254740993",
];
const SAFE_NUMBERS = [
  "0",
  "-0",
  "1.0",
  "1e2",
  "1E+2",
  "0.10",
  "-1.50e-3",
  "9007199254740991",
  "0.1234567890123456",
  "10E-1",
];

const blank = fc.constantFrom("", "", "", " ", "\t", "  ");
/** Characters as they may stand between quotes. */
const character = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("a", "é", "☃", "😀", "\u2028", "\u007f", "/", " ", "'", "{", "}", "[", ",", ":"),
  },
  fc.constantFrom(
    String.raw`\"`,
    String.raw`\\`,
    String.raw`\/`,
    String.raw`\n`,
    String.raw`\u00e9`,
    String.raw`\u00E9`,
  ),
  fc.constantFrom(String.raw`\ud83d\ude00`, String.raw`\ud800`, String.raw`\u0000`, String.raw`\u0061`),
);
const text = fc.array(character, { maxLength: 6 }).map((characters) => `"${characters.join("")}"`);
const key = fc.oneof(text, fc.constantFrom('"__proto__"', '"constructor"', '""', '"toString"', '"0"', '"-1"'));

const spread = (parts: readonly string[], blanks: readonly string[]): string =>
  parts.map((part, i) => part + (blanks[i % Math.max(blanks.length, 1)] ?? "")).join("");

const joined = (open: string, items: readonly string[], close: string): string[] => [
  open,
  ...items.flatMap((item, i) => (i === 0 ? [item] : [",", item])),
  close,
];

const texts = (numbers: readonly string[]) => {
  const { value, object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(fc.constantFrom(...numbers), text, fc.constantFrom("true", "false", "null")),
      tie("object"),
      tie("array"),
    ),
    array: fc
      .tuple(fc.array(tie("value"), { maxLength: 4 }), fc.array(blank, { minLength: 1, maxLength: 3 }))
      .map(([items, blanks]) => spread(joined("[", items, "]"), blanks)),
    object: fc
      .tuple(
        // A repeated member is refused, so keys differ in what they mean, not only in how they are spelt.
        fc.uniqueArray(fc.tuple(key, tie("value")), { maxLength: 4, selector: ([name]) => JSON.parse(name) as string }),
        fc.array(blank, { minLength: 1, maxLength: 3 }),
      )
      .map(([members, blanks]) => {
        const items = members.map(([name, held]) => spread([name, ":", held], blanks.toReversed()).trimEnd());
        return spread(joined("{", items, "}"), blanks).trim();
      }),
  }));
  return { value, object };
};

/** An object that may stand in arguments. */
export const oddArguments: fc.Arbitrary<string> = texts(SAFE_NUMBERS).object;

/** An object that an upstream may answer with. */
export const oddResult: fc.Arbitrary<string> = texts([...SAFE_NUMBERS, ...WILD_NUMBERS]).object;
