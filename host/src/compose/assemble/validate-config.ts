/** Whether a config is fit for use: its schema, its own `validation.rules`, then the caller's rules on its text. */
import { readYaml } from "../../kernel/read-yaml.ts";
import type { ConfigReading } from "../configs/config-reading.ts";
import type { ConfigRule } from "../configs/config-types.ts";
import { applyRules, LOOKING } from "./apply-rules.ts";
import { countIssues, type Issue, type Issues } from "./issue.ts";
import { LinearPatterns, TOO_MUCH_WORK } from "./linear-pattern.ts";

type Data = Readonly<Record<string, unknown>>;

export interface ConfigToValidate {
  readonly data: Data;
  readonly text: string;
  /** What `checkConfig` found. */
  readonly reading: ConfigReading;
  readonly rules: readonly unknown[];
}

export const validateConfig = async ({ data, text, reading, rules }: ConfigToValidate): Promise<Issues> => {
  const patterns = new LinearPatterns();
  const issues: Issue[] = reading.errors.map(({ pointer, message }) => ({
    severity: "error",
    code: "schema_validation_failed",
    message,
    location: pointer,
    details: { pointer },
  }));
  for (const { code, pointer, message } of reading.warnings)
    issues.push({ severity: "warning", code, message, location: pointer, details: {} });
  const own = (data as { validation?: { rules?: readonly ConfigRule[] } }).validation?.rules;
  // Rules that are not as the schema wants them were told above.
  if (reading.errors.length === 0)
    for (const [at, rule] of (own ?? []).entries())
      issues.push(...(await applyOwn(rule, at, { data, text, patterns })));
  const subject = { text, location: "", hasField: (field: string) => isThere(valueAt(data, field)) };
  return countIssues([...issues, ...applyRules(rules, subject, patterns)]);
};

/** To read one character of YAML. */
const PARSING = 100;

interface OwnInput extends Pick<ConfigToValidate, "data" | "text"> {
  readonly patterns: LinearPatterns;
}

const applyOwn = async (rule: ConfigRule, at: number, own: OwnInput): Promise<readonly Issue[]> => {
  const { data, patterns } = own;
  const { id, check_type: type, target, check_config: config, severity } = rule;
  const location = `/validation/rules/${at}`;
  const tell = (code: string, message: string, level = severity): Issue[] => [
    { severity: level, code, message, location, details: { rule: id, target } },
  ];
  if (!patterns.spend(own.text.length * LOOKING)) return tell("invalid_rule", `The rule: ${TOO_MUCH_WORK}.`, "error");
  const value = valueAt(data, target);
  if (!isThere(value)) return tell("missing_required_field", `"${target}" is missing or empty.`);
  if (type === "presence") return [];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (type === "syntax" && !patterns.spend(text.length * PARSING))
    return tell("invalid_rule", `The rule: ${TOO_MUCH_WORK}.`, "error");
  if (type === "syntax") return applySyntax(text, config, tell);
  const pattern = config["pattern"] ?? config["regex"];
  if (typeof pattern !== "string") return tell("invalid_rule", "format takes check_config.pattern, a string.", "error");
  const found = patterns.test(pattern, text);
  if (typeof found === "object") return tell("invalid_rule", `check_config.pattern: ${found.fault}.`, "error");
  return found ? [] : tell("pattern_mismatch", `"${target}" does not match its pattern.`);
};

type Tell = (code: string, message: string, level?: Issue["severity"]) => Issue[];

const applySyntax = async (text: string, config: Data, tell: Tell): Promise<readonly Issue[]> => {
  const format = config["format"] ?? config["language"];
  if (format === "json") {
    try {
      JSON.parse(text);
      return [];
    } catch (error) {
      return tell("syntax_invalid", `It is no JSON: ${(error as Error).message.slice(0, 200)}.`);
    }
  }
  if (format !== "yaml") return tell("invalid_rule", "syntax takes check_config.format, json or yaml.", "error");
  const { broken } = await readYaml(text);
  return broken === null ? [] : tell("syntax_invalid", `It is no YAML: line ${broken.line}: ${broken.message}.`);
};

const isThere = (value: unknown): boolean => {
  if (value === undefined || value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
};

/** Own members; of lists by number, or by the `name` or `id` of their items. The name of an element is its example. */
const valueAt = (data: Data, path: string): unknown => {
  let at: unknown = data;
  for (const step of path.split(".")) at = memberOf(at, step);
  if (at !== undefined) return at;
  const element = memberOf(data["elements"], path);
  return typeof element === "object" ? memberOf(element, "example_output") : undefined;
};

const memberOf = (value: unknown, step: string): unknown => {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return Object.hasOwn(value, step) ? (value as Data)[step] : undefined;
  const items = value as readonly unknown[];
  const named = items.find((item) => memberOfItem(item, "name") === step || memberOfItem(item, "id") === step);
  return named ?? (/^\d{1,6}$/.test(step) ? items[Number(step)] : undefined);
};

const memberOfItem = (item: unknown, key: string): unknown =>
  typeof item === "object" && item !== null && Object.hasOwn(item, key) ? (item as Data)[key] : undefined;
