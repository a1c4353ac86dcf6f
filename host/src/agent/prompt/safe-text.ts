/**
 * Text of a skill or of the configuration as it may stand in the prompt without a tag around it: it opens and closes none, and
 * a rule of three hyphens in it, which would look like the end of a layer, is drawn with asterisks instead. Pure.
 */
import { neutraliseTags } from "./neutralise-tags.ts";

/** Whatever may be taken for one. */
const LINE_BREAK = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;
const UNSEEN = /\p{C}/gu;
const RULE = /^-{3,}$/;

export const safeText = (text: string): string => {
  const safe = neutraliseTags(text);
  if (!safe.includes("---")) return safe;
  // Lines, with what breaks them in between.
  const pieces = safe.split(LINE_BREAK);
  return pieces.map((piece, at) => (isRule(piece, pieces[at - 2] ?? "") ? piece.replace(/-+/, "***") : piece)).join("");
};

/** Only after a blank line: below text, hyphens make a heading of it. */
const isRule = (line: string, before: string): boolean => RULE.test(shownOf(line)) && shownOf(before) === "";

const shownOf = (line: string): string => line.replaceAll(UNSEEN, "").trim();
