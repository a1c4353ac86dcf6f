/**
 * The globs in `allowed-tools`: a list, or one text with blanks or commas in between. A restriction that lost its members must
 * not open: whatever is written there, if nothing of it counts, the skill is left with the host's own `nb__*`.
 */
import { quoted, type SkillFindings } from "./skill-findings.ts";
import { limited } from "./skill-fields.ts";

const KEY = "allowed-tools";
const OTHER_KEY = "allowed_tools";
/** A glob that some `provider__tool` can fit. */
const OURS = /^(?:[a-z0-9*-]+__|[a-z0-9-]*\*)[A-Za-z0-9_.\-/*]*$/;

/** Null: it says nothing, and so narrows nothing. */
export const readGlobs = (
  fields: Readonly<Record<string, unknown>>,
  findings: SkillFindings,
  form: "flat" | "folder",
): readonly string[] | null => {
  const key = Object.hasOwn(fields, KEY) ? KEY : OTHER_KEY;
  if (!Object.hasOwn(fields, key)) return null;
  if (key === OTHER_KEY) findings.warn(`${OTHER_KEY} counts as ${KEY}; write it with a hyphen.`);
  const globs = limited(key, wordsOf(fields[key], findings), findings).filter((word) => {
    if (form === "flat" || OURS.test(word)) return true;
    findings.warn(`${KEY}: ${quoted(word)} is no name of a tool here and is ignored; nothing is approved by it.`);
    return false;
  });
  if (globs.length === 0) {
    findings.warn(`${KEY} leaves only nb__*; name the tools it needs, such as files__*, or take the field out.`);
  }
  return globs;
};

const wordsOf = (value: unknown, findings: SkillFindings): readonly string[] => {
  if (typeof value === "string") return value.split(/[\s,]+/).filter((each) => each !== "");
  if (!Array.isArray(value)) {
    if (value !== null) findings.warn(`${KEY} has to be a list of globs, and counts as empty.`);
    return [];
  }
  return value.filter((each): each is string => {
    if (typeof each === "string") return each !== "";
    findings.warn(`${KEY}: ${quoted(each)} is no text and is dropped; write it in quotes.`);
    return false;
  });
};
