/** Whether a stored text is fit for use: what is wrong with any text, then the caller's rules. */
import { readYaml } from "../../kernel/read-yaml.ts";
import { lookInto } from "../generators/placeholders.ts";
import { applyRules, countCharacters } from "./apply-rules.ts";
import { countIssues, type Issue, type Issues } from "./issue.ts";
import { LinearPatterns } from "./linear-pattern.ts";

const SHORT = 10;

const findIssues = (text: string): readonly Issue[] => {
  const tell = (severity: Issue["severity"], code: string, message: string): Issue => ({
    severity,
    code,
    message,
    location: "content",
    details: {},
  });
  const trimmed = text.trim();
  if (trimmed === "") return [tell("error", "content_empty", "The text is empty.")];
  const found: Issue[] = [];
  if (countCharacters(trimmed.slice(0, 2 * SHORT)) < SHORT)
    found.push(tell("warning", "content_very_short", `The text has fewer than ${SHORT} characters.`));
  if (trimmed.endsWith("...") || text.includes("[TBD]"))
    found.push(tell("warning", "content_incomplete", "The text ends with ... or holds [TBD]."));
  return found;
};

/** Fields of data are its members, by path; of any other text, words that stand in it. */
const fieldsOf = async (text: string, format: string): Promise<(field: string) => boolean> => {
  if (format !== "json" && format !== "yaml") return (field) => text.includes(field);
  const { value } = await readYaml(text);
  const isObject = typeof value === "object" && value !== null;
  return (field) => isObject && lookInto(value as Readonly<Record<string, unknown>>, field) !== null;
};

export interface TextToValidate {
  readonly text: string;
  readonly format: string;
  readonly rules: readonly unknown[];
}

export const validateText = async ({ text, format, rules }: TextToValidate): Promise<Issues> => {
  const subject = { text, location: "content", hasField: await fieldsOf(text, format) };
  return countIssues([...findIssues(text), ...applyRules(rules, subject, new LinearPatterns())]);
};
