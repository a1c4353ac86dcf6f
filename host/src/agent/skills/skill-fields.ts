/** Fields of a skill's front matter, each read with its rule; what does not fit is told, and the default holds. */
import { nearest } from "@bailiwick/contract";
import { foldText, isBlank } from "./fold-text.ts";
import { quoted, type SkillFindings } from "./skill-findings.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";

type Fields = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const metadataField = (value: unknown, findings: SkillFindings): Readonly<Record<string, unknown>> => {
  if (isMapping(value)) return value;
  if (value !== undefined && value !== null) findings.warn("metadata has to be a mapping, and counts as empty.");
  return {};
};

/** A text, or nothing where it is something else. */
export const textField = (key: string, value: unknown, findings: SkillFindings): string | null => {
  if (typeof value === "string") return value.trim();
  if (value !== undefined && value !== null) findings.warn(`${key} has to be a text; write it in quotes.`);
  return null;
};

export const typeField = (key: string, value: unknown, findings: SkillFindings): "context" | "skill" => {
  if (value === "context" || value === "skill") return value;
  if (value !== undefined && value !== null) {
    findings.warn(`${key} ${quoted(value)} counts as skill; write context or skill.`);
  }
  return "skill";
};

const PRIORITY = 50;
/** Context skills are meant to have at most this. */
const CONTEXT_PRIORITY = 10;

export const priorityField = (key: string, value: unknown, findings: SkillFindings): number => {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value !== undefined) findings.warn(`${key} has to be a number, and counts as ${PRIORITY}.`);
  return PRIORITY;
};

export const notePriority = (type: "context" | "skill", priority: number, findings: SkillFindings): void => {
  if (type !== "context" || priority <= CONTEXT_PRIORITY) return;
  findings.warn(
    `it is a context skill with priority ${priority}, and included all the same; give it ${CONTEXT_PRIORITY} or less.`,
  );
};

/** A list of texts, or one text with commas: blank ones are dropped, and those that differ in case alone count once. */
export const textsField = (key: string, value: unknown, findings: SkillFindings): readonly string[] => {
  if (value === undefined || value === null) return [];
  const given: readonly unknown[] | null =
    typeof value === "string" ? value.split(",").map((each) => each.trim()) : Array.isArray(value) ? value : null;
  if (given === null) findings.warn(`${key} has to be a list of texts, and counts as empty.`);
  const texts = new Map<string, string>();
  for (const each of given ?? []) {
    if (typeof each !== "string")
      findings.warn(`${key}: ${quoted(each)} is no text and is dropped; write it in quotes.`);
    else if (isBlank(each)) findings.warn(`${key}: a blank entry is dropped; take it out.`);
    else if (!texts.has(foldText(each))) texts.set(foldText(each), each);
  }
  return limited(key, [...texts.values()], findings);
};

/** No more than a skill can sensibly have. */
export const limited = (key: string, items: readonly string[], findings: SkillFindings): readonly string[] => {
  if (items.length > SKILL_LIMITS.listItems) {
    findings.warn(`${key} has more than ${SKILL_LIMITS.listItems} entries, and the rest is dropped; take some out.`);
  }
  return items.slice(0, SKILL_LIMITS.listItems);
};

/** `elsewhere`: fields that belong into a mapping, as the place where they would count. */
export const noteUnknown = (
  fields: Fields,
  known: { readonly here: readonly string[]; readonly elsewhere: Readonly<Record<string, string>> },
  findings: SkillFindings,
): void => {
  const { here, elsewhere } = known;
  for (const key of Object.keys(fields)) {
    if (here.includes(key)) continue;
    const place = Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined;
    const guess = place ?? nearest(key, here, 3);
    findings.warn(`${quoted(key)} means nothing here${guess === null ? "; take it out." : `; did you mean ${guess}?`}`);
  }
};
