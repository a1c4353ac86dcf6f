/** Whether what a plug-in exports describes a generator, and how it is listed then. Pure. */
import { BUILT_IN_GENERATORS } from "../generators/built-in-generators.ts";
import type { GeneratorEntry, GeneratorIndicators, UpstreamDependencies } from "../generators/generator-entry.ts";

export interface ExportSeen {
  /** Parsed JSON. */
  readonly members: unknown;
  /** It has a function `generate`. */
  readonly generates: boolean;
  /** In its plug-in folder. */
  readonly name: string;
  /** What the name of the file says. */
  readonly type: string;
}

export type CheckedExport =
  | { readonly ok: true; readonly entry: GeneratorEntry }
  | { readonly ok: false; readonly code: "invalid_export" | "type_taken"; readonly message: string };

const TYPE = /^[a-z][a-z0-9_-]{0,63}$/;
const RESERVED: ReadonlySet<string> = new Set(["decision_tree", "list", "builtin", "plugins"]);
const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_GENERATORS.map(({ type }) => type));

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MAX_ITEMS = 100;
const MAX_TEXT = 500;
const MAX_DESCRIPTION = 2_000;

/** Why it is no generator; caught here. */
class Fault extends Error {
  readonly code: "invalid_export" | "type_taken";

  constructor(message: string, code: Fault["code"] = "invalid_export") {
    super(message);
    this.code = code;
  }
}

type Members = Readonly<Record<string, unknown>>;

export const checkExport = (seen: ExportSeen): CheckedExport => {
  try {
    return { ok: true, entry: readEntry(seen) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
};

/** What its file's name says decides already, and its code is not run; null: it may be loaded. */
export const checkFileName = (type: string): (CheckedExport & { readonly ok: false }) | null => {
  try {
    checkType(type);
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
};

const readEntry = ({ members, generates, name, type: named }: ExportSeen): GeneratorEntry => {
  const {
    type,
    version,
    description,
    status,
    capabilities,
    indicators,
    requirements,
    best_for,
    upstream_dependencies,
  } = readObject(members, "The default export");
  checkType(type);
  if (type !== named) throw new Fault(`Its type is ${type}; the file must be named ${type}.generator.mjs, .js or .ts.`);
  if (!generates) throw new Fault("The default export has no function generate.");
  return {
    type: named,
    name: named,
    version: readText(version, "version", 64),
    source: "plugin",
    plugin_path: name,
    status: readChoice(status ?? "experimental", "status", ["stable", "experimental", "deprecated"]),
    capabilities: readTexts(capabilities, "capabilities"),
    indicators: readIndicators(indicators ?? {}),
    requirements: readRequirements(requirements ?? {}),
    best_for: readTexts(best_for, "best_for"),
    docs_uri: `generator://${named}`,
    upstream_dependencies: readUpstream(upstream_dependencies ?? null),
    description: description === undefined ? "" : readText(description, "description", MAX_DESCRIPTION),
  };
};

const checkType: (type: unknown) => asserts type is string = (type) => {
  if (typeof type !== "string" || !TYPE.test(type)) throw new Fault(`The type must match ${TYPE.source}.`);
  if (RESERVED.has(type)) throw new Fault(`The type ${type} is reserved; choose another.`);
  if (BUILT_IN.has(type)) throw new Fault(`The type ${type} belongs to the host; choose another.`, "type_taken");
};

const readIndicators = (value: unknown): GeneratorIndicators => {
  const { config_field, config_values, template_patterns, confidence, excludes } = readObject(value, "indicators");
  return {
    ...(config_field === undefined ? {} : { config_field: readText(config_field, "indicators.config_field") }),
    ...(config_values === undefined ? {} : { config_values: readTexts(config_values, "indicators.config_values") }),
    ...(template_patterns === undefined
      ? {}
      : { template_patterns: readTexts(template_patterns, "indicators.template_patterns") }),
    confidence: readChoice(confidence ?? "low", "indicators.confidence", ["high", "medium", "low"]),
    ...(excludes === undefined ? {} : { excludes: readTexts(excludes, "indicators.excludes") }),
  };
};

const readRequirements = (value: unknown): GeneratorEntry["requirements"] => {
  const { fields, dependencies, env_vars } = readObject(value, "requirements");
  return {
    fields: readTexts(fields, "requirements.fields"),
    dependencies: readTexts(dependencies, "requirements.dependencies"),
    env_vars: readTexts(env_vars, "requirements.env_vars"),
  };
};

const readUpstream = (value: unknown): UpstreamDependencies | null => {
  if (value === null) return null;
  const at = "upstream_dependencies";
  const { services, credentials_required, optional_services, expected_latency_ms, stability, concurrency_safe } =
    readObject(value, at);
  const credentials = readTexts(credentials_required, `${at}.credentials_required`);
  const bad = credentials.find((name) => !VARIABLE.test(name));
  if (bad !== undefined) throw new Fault(`${at}.credentials_required must name variables, such as API_KEY.`);
  if (typeof (concurrency_safe ?? true) !== "boolean") throw new Fault(`${at}.concurrency_safe must be true or false.`);
  return {
    services: readTexts(services, `${at}.services`),
    credentials_required: [...new Set(credentials)],
    optional_services: readTexts(optional_services, `${at}.optional_services`),
    expected_latency_ms: readLatency(expected_latency_ms ?? {}, `${at}.expected_latency_ms`),
    stability: readChoice(stability ?? "experimental", `${at}.stability`, ["stable", "beta", "experimental"]),
    concurrency_safe: concurrency_safe !== false,
  };
};

const readLatency = (value: unknown, at: string): UpstreamDependencies["expected_latency_ms"] => {
  const { p50, p95 } = readObject(value, at);
  return {
    ...(p50 === undefined ? {} : { p50: readMilliseconds(p50, `${at}.p50`) }),
    ...(p95 === undefined ? {} : { p95: readMilliseconds(p95, `${at}.p95`) }),
  };
};

const readMilliseconds = (value: unknown, at: string): number => {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw new Fault(`${at} must be a number above 0.`);
};

const readObject = (value: unknown, at: string): Members => {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new Fault(`${at} must be an object.`);
};

const readText = (value: unknown, at: string, max = MAX_TEXT): string => {
  if (typeof value === "string" && value !== "" && value.length <= max) return value.toWellFormed();
  throw new Fault(`${at} must be a text of 1 to ${max} characters.`);
};

const readTexts = (value: unknown, at: string): readonly string[] => {
  const items = value ?? [];
  if (!Array.isArray(items) || items.length > MAX_ITEMS) {
    throw new Fault(`${at} must be a list of at most ${MAX_ITEMS} texts.`);
  }
  return items.map((item, index) => readText(item, `${at}[${index}]`));
};

const readChoice = <T extends string>(value: unknown, at: string, choices: readonly T[]): T => {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Fault(`${at} must be one of ${choices.join(", ")}.`);
  return found;
};
