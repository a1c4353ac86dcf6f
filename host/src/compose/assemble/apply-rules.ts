/** The rules that a caller of `validate_content` gives, applied to a text. A rule that cannot be read is an issue of its own. */
import type { Issue, Severity } from "./issue.ts";
import { TOO_MUCH_WORK, type LinearPatterns } from "./linear-pattern.ts";

export interface RuleSubject {
  readonly text: string;
  /** `content` or the pointer of the whole config. */
  readonly location: string;
  readonly hasField: (field: string) => boolean;
}

/** Its characters are counted once, however many rules ask for them. */
interface Counted extends RuleSubject {
  readonly length: () => number;
}

type Settings = Readonly<Record<string, unknown>>;
interface Rule {
  readonly severity: Severity;
  readonly config: Settings;
}
type Apply = (rule: Rule, subject: Counted, patterns: LinearPatterns) => readonly Issue[] | string;

const issue = (
  rule: Rule,
  { location }: RuleSubject,
  code: string,
  rest: Pick<Issue, "message" | "details">,
): Issue => ({
  severity: rule.severity,
  code,
  message: rest.message,
  location,
  details: rest.details,
});

const isBound = (value: unknown): value is number | undefined =>
  value === undefined || (typeof value === "number" && value >= 0);

export const countCharacters = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

const applyLength: Apply = (rule, subject) => {
  const { min, max } = rule.config;
  if (!isBound(min) || !isBound(max) || (min ?? max) === undefined) return "length takes min, max or both, 0 or more";
  if (min !== undefined && max !== undefined && min > max) return "min is more than max";
  const length = subject.length();
  const details = { length, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  const message = `It has ${length} characters`;
  if (length < (min ?? 0))
    return [issue(rule, subject, "content_too_short", { message: `${message}; at least ${min} are wanted.`, details })];
  if (length > (max ?? Infinity))
    return [issue(rule, subject, "content_too_long", { message: `${message}; at most ${max} are wanted.`, details })];
  return [];
};

/** What a search takes in the worst of texts grows with what is searched for. */
const MAX_FIELD = 100;
/** To look for a field: of one character of the text. */
export const LOOKING = 1 / 8;

const applyFields: Apply = (rule, subject, patterns) => {
  const { fields } = rule.config;
  if (!Array.isArray(fields) || fields.length === 0 || !fields.every((field) => typeof field === "string"))
    return "required_fields takes fields, a list of names";
  if (fields.some((field) => field.length > MAX_FIELD)) return `a field has more than ${MAX_FIELD} characters`;
  if (!patterns.spend(fields.length * subject.text.length * LOOKING)) return `fields: ${TOO_MUCH_WORK}`;
  return fields
    .filter((field) => !subject.hasField(field))
    .map((field) =>
      issue(rule, subject, "missing_required_field", {
        message: `The field "${field.slice(0, 100)}" is missing.`,
        details: { field: field.slice(0, 100) },
      }),
    );
};

const applyPattern: Apply = (rule, subject, patterns) => {
  const { regex } = rule.config;
  if (typeof regex !== "string") return "pattern takes regex, a string";
  const found = patterns.test(regex, subject.text);
  if (typeof found === "object") return `regex: ${found.fault}`;
  const message = `Nothing in it matches ${JSON.stringify(regex.slice(0, 100))}.`;
  return found ? [] : [issue(rule, subject, "pattern_mismatch", { message, details: { regex: regex.slice(0, 100) } })];
};

const APPLY: ReadonlyMap<unknown, Apply> = new Map([
  ["length", applyLength],
  ["required_fields", applyFields],
  ["pattern", applyPattern],
]);

const SEVERITIES: ReadonlySet<unknown> = new Set(["error", "warning", "info"]);

const isSettings = (value: unknown): value is Settings =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const applyRules = (
  rules: readonly unknown[],
  subject: RuleSubject,
  patterns: LinearPatterns,
): readonly Issue[] => {
  let length: number | null = null;
  const counted: Counted = { ...subject, length: () => (length ??= countCharacters(subject.text)) };
  return rules.flatMap((rule, at): readonly Issue[] => {
    const tell = (severity: Severity, code: string, message: string): Issue[] => [
      { severity, code, message, location: `validation_rules[${at}]`, details: {} },
    ];
    if (!isSettings(rule) || typeof rule["type"] !== "string") return tell("error", "invalid_rule", "It has no type.");
    const { type, severity = "error", config = {} } = rule;
    const apply = APPLY.get(type);
    if (apply === undefined)
      return tell(
        "warning",
        "unknown_rule_type",
        `There is no rule "${type.slice(0, 100)}"; use ${[...APPLY.keys()].join(", ")}.`,
      );
    if (!SEVERITIES.has(severity) || !isSettings(config))
      return tell("error", "invalid_rule", "severity is error, warning or info, and config an object.");
    const found = apply({ severity: severity as Severity, config }, counted, patterns);
    return typeof found === "string" ? tell("error", "invalid_rule", `${found}.`) : found;
  });
};
