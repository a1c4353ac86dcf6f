/**
 * Text of a skill or of the configuration as it may stand in the prompt without a tag around it: it opens and closes none, and
 * a rule of three hyphens in it, which would look like the end of a layer, is drawn with asterisks instead. Pure.
 */
import { neutraliseTags } from "./neutralise-tags.ts";

/** Only after a blank line: below text, hyphens make a heading of it. */
const RULE = /(^|(?:^|\n)[^\S\n]*\n)([^\S\n]*)-{3,}([^\S\n]*)(?=\n|$)/g;

export const safeText = (text: string): string => neutraliseTags(text).replaceAll(RULE, "$1$2***$3");
