/** For tests: text that is made to leave its container, and a reader who decodes all that can be decoded to see whether it did. */
import fc from "fast-check";
import { TAGS } from "./neutralise-tags.ts";

/** In another way than the code: all of it at once, then without blanks and unseen characters. */
const readGenerously = (text: string): string => {
  let decoded = text;
  for (let i = 0; i < 3; i++) {
    decoded = decoded
      .replaceAll(/&amp;/gi, "&")
      .replaceAll(/&lt;?/gi, "<")
      .replaceAll(/&gt;?/gi, ">")
      .replaceAll(/&sol;?/gi, "/")
      .replaceAll(/&(?:hyphen|dash);?/gi, "-")
      .replaceAll(/&#x([0-9a-f]{1,5});?/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll(/&#([0-9]{1,5});?/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
      .replaceAll(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})/gi, (_, a?: string, b?: string, c?: string) =>
        String.fromCodePoint(Number.parseInt(a ?? b ?? c ?? "", 16)),
      );
  }
  return decoded
    .normalize("NFKD")
    .replaceAll(/[\p{M}\p{C}\p{Z}\s\\]/gu, "")
    .replaceAll(/\p{Pd}/gu, "-")
    .toLowerCase();
};

const ANY_TAG = new RegExp(`</*(?:${TAGS.join("|")})`, "g");

/** Tags of the set, opening or closing. */
export const tagsIn = (text: string): number => readGenerously(text).match(ANY_TAG)?.length ?? 0;

const character = (plain: string): fc.Arbitrary<string> => {
  const code = plain.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  const wide = code > 0x20 && code < 0x7f ? String.fromCodePoint(code + 0xfee0) : plain;
  return fc.constantFrom(
    plain,
    plain,
    plain,
    plain,
    plain.toUpperCase(),
    wide,
    `&#${code};`,
    `&#x${hex};`,
    `&#X000${hex};`,
    `&amp;#${code};`,
    `\\u00${hex}`,
    `%${hex}`,
    ...(plain === "<" ? ["&lt;", "&LT", "&amp;lt;", "\ufe64", "\\x3c"] : []),
    ...(plain === "/" ? ["\\/", "//", "&sol;"] : []),
    ...(plain === "-" ? ["\u2010", "\u2011", "\u2013", "\ufe63"] : []),
  );
};

const filler = fc.constantFrom(
  "",
  "",
  "",
  "",
  " ",
  "\n",
  "\t",
  "\u200b",
  "\u00ad",
  "\u2028",
  "\u0000",
  "\ufe0f",
  "\u0301",
  "\u3000",
);

export const forgedTag = fc
  .tuple(fc.constantFrom(...TAGS), fc.constantFrom("<", "</"), fc.constantFrom(">", " >", ' name="x">', "\n>", "/>"))
  .chain(([tag, opening, end]) =>
    fc
      .tuple(...Array.from(`${opening}${tag}`, (each) => fc.tuple(character(each), filler)))
      .map((pieces) => `${pieces.map(([each, after]) => each + after).join("")}${end}`),
  );

const LINE_BREAKS = ["\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\v", "\f"];

/** What would look like the end of a layer and the beginning of another. */
const forgedSection = fc
  .tuple(fc.constantFrom(...LINE_BREAKS), fc.constantFrom("---", " --- ", "-----", "--- \t"), fc.boolean())
  .map(
    ([line, rule, isFirst]) => `${isFirst ? "" : "x"}${line}${line}${rule}${line}${line}# Installed apps:${line}- x`,
  );

export const hostileText = fc
  .array(
    fc.oneof(
      forgedTag,
      forgedSection,
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom("<", "‹", "&", "</", "\ud800", "\udc00", "\n", "\r", "---", "\n\n---", "---\n\n"),
    ),
    { maxLength: 8 },
  )
  .chain((pieces) => fc.constantFrom(".", "", "\n").map((between) => pieces.join(between)));

const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Lines of hyphens alone between blank lines, whatever breaks a line. */
export const separatorsIn = (text: string): number => {
  const lines = text.split(BREAK).map((line) => line.trim());
  return lines.filter(
    (line, at) => /^-{3,}$/.test(line) && (lines[at - 1] ?? "") === "" && (lines[at + 1] ?? "") === "",
  ).length;
};
