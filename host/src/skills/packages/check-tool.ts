/** Makes a tool of an entry of `tools.yaml`, or says what is wrong with it. Whatever is wrong is the entry's own matter. */
import type { RiskTier } from "../../kernel/risk-tier.ts";
import { quote, type Diagnostics, type Finding } from "./diagnostics.ts";
import { findScript, type PackageFile, type PackageLink } from "./find-script.ts";
import type { PackageSchemas } from "./package-schemas.ts";
import { readAnnotations } from "./read-annotations.ts";
import type { Written } from "./read-tools-file.ts";
import { isMapping, isTextList, readTexts } from "./shapes.ts";
import type { PackageTool } from "./skill-package.ts";
import { canonicalKey, nearestKey, TOOL_KEYS } from "./tool-keys.ts";

export interface ToolGround {
  /** Absolute, real. */
  readonly dir: string;
  readonly files: readonly PackageFile[];
  readonly links: readonly PackageLink[];
  readonly schemas: PackageSchemas;
  /** Of tools that were read before. */
  readonly names: ReadonlySet<string>;
  readonly found: Diagnostics;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const TIMEOUT_S = 60;
const CARRIED = ["side_effects", "call_examples", "produces", "requires", "intent", "tool_role"];

type Values = ReadonlyMap<string, unknown>;
/** Leaves the entry that it is about. */
class Invalid extends Error {
  readonly finding: Omit<Finding, "tool">;

  constructor(finding: Omit<Finding, "tool">) {
    super(finding.message);
    this.finding = finding;
  }
}

const invalid = (written: Written, key: string | null, say: { message: string; fix: string }): Invalid =>
  new Invalid({ reason: "invalid_tool", place: key === null ? written.place() : written.place(key), ...say });

/** Null: it is not served, and `found` says why. */
export const checkTool = async (written: Written, ground: ToolGround): Promise<PackageTool | null> => {
  const name = nameIn(written.value);
  try {
    return await toTool(written, ground);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    ground.found.add({ ...error.finding, tool: name });
    return null;
  }
};

const nameIn = (value: unknown): string | null => {
  const name = isMapping(value) ? value["name"] : value;
  return typeof name === "string" ? name : null;
};

const toTool = async (written: Written, ground: ToolGround): Promise<PackageTool> => {
  const { fault } = written;
  if (fault !== null) {
    const { pointer, line } = { ...written.place(), line: fault.line };
    throw new Invalid({
      reason: "invalid_tool",
      place: { pointer: `${pointer}${fault.pointer}`, line },
      message: `It cannot be read: ${fault.pointer} ${fault.message}.`.replace(":  ", ": "),
      fix: `Mend line ${line}.`,
    });
  }
  const values = valuesOf(written, ground.found);
  const name = checkName(written, values, ground.names);
  const annotations = readAnnotations(values, (key, say) => {
    if (say.warning)
      ground.found.add({ ...say, reason: "invalid_tool", tool: name, place: written.place("annotations", key) });
    else throw new Invalid({ ...say, reason: "invalid_tool", place: written.place("annotations", key) });
  });
  const inputSchema = await schemaOf(written, values.get("input_schema"), { key: "input_schema", ...ground });
  const outputSchema = await schemaOf(written, values.get("output_schema"), { key: "output_schema", ...ground });
  const script = await findScript({ tool: name, sourceFile: textOf(values, "source_file"), ...ground });
  if ("fault" in script) {
    const { reason, message, fix } = script.fault;
    throw new Invalid({
      reason,
      place: values.has("source_file") ? written.place("source_file") : written.place(),
      message,
      fix,
    });
  }
  return {
    name,
    description: textOf(values, "description"),
    inputSchema: inputSchema ?? { type: "object" },
    incompleteSchema: inputSchema === null,
    outputSchema,
    required: (values.get("required_capabilities") as readonly string[] | undefined) ?? [],
    annotations,
    readOnly: annotations?.["readOnlyHint"] === true,
    script: script.path,
    kind: script.kind,
    execution: values.get("execution") === "async" ? "async" : "sync",
    timeoutS: (values.get("timeout_hint_secs") as number | undefined) ?? TIMEOUT_S,
    affinity: values.get("thread-affinity") === "main" ? "main" : "any",
    groups: values.has("group") ? [String(values.get("group"))] : [],
    hasUnreadGroup: meansGroup(written.value),
    risk: riskOf(values.get("risk")),
    searchAliases: readTexts(values.get("search_aliases")) ?? [],
    nextTools: nextToolsOf(written, values.get("next-tools")),
    carried: Object.fromEntries(CARRIED.filter((key) => values.has(key)).map((key) => [key, values.get(key)])),
  };
};

/** By canonical key; what is null counts as absent. */
const valuesOf = (written: Written, found: Diagnostics): Values => {
  const { value } = written;
  if (typeof value === "string") return new Map([["name", value]]);
  if (!isMapping(value)) {
    throw invalid(written, null, {
      message: "It is neither a name nor a mapping.",
      fix: 'Write "- name: …" and its other keys below it.',
    });
  }
  const values = new Map<string, unknown>();
  const unknown: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const canonical = canonicalKey(key);
    if (key === "deferred") throw invalid(written, key, DEFERRED);
    if (canonical === null) unknown.push(key);
    else if (member !== null) take(written, values, { key, canonical, member });
  }
  for (const key of unknown) {
    const near = nearestKey(key);
    found.add({
      reason: "invalid_tool",
      tool: nameIn(value),
      place: written.place(key),
      message: `The key ${quote(key)} means nothing${near === null ? "." : `; did you mean ${near}?`}`,
      fix: near === null ? `Take ${quote(key)} out.` : `Write ${near} instead of ${quote(key)}.`,
      warning: true,
    });
  }
  return values;
};

const DEFERRED = {
  message: '"deferred" is not supported: a tool is served or it is not.',
  fix: 'Take "deferred" out, or put the tool into a group that is not active.',
};

const take = (
  written: Written,
  values: Map<string, unknown>,
  { key, canonical, member }: { readonly key: string; readonly canonical: string; readonly member: unknown },
): void => {
  if (values.has(canonical)) {
    throw invalid(written, key, {
      message: `${canonical} stands there twice, in two spellings.`,
      fix: `Keep one of them.`,
    });
  }
  const rule = TOOL_KEYS.get(canonical);
  if (rule?.fits(member) !== true) {
    const expected = rule?.expected ?? "";
    throw invalid(written, key, { message: `${key} has to be ${expected}.`, fix: `Write ${expected} for ${key}.` });
  }
  values.set(canonical, member);
};

const checkName = (written: Written, values: Values, names: ReadonlySet<string>): string => {
  const name = textOf(values, "name");
  const key = isMapping(written.value) && written.value["name"] !== undefined ? "name" : null;
  if (name === null || !NAME.test(name)) {
    throw invalid(written, key, {
      message: name === null ? "It has no name." : `${quote(name)} is no name for a tool.`,
      fix: 'Give it "name:" of 1 to 64 letters, digits, "_" and "-".',
    });
  }
  if (names.has(name)) {
    throw new Invalid({
      reason: "duplicate_tool",
      place: key === null ? written.place() : written.place(key),
      message: `There is a tool ${quote(name)} before it, which is served.`,
      fix: "Rename one of them, or take one out.",
    });
  }
  return name;
};

const schemaOf = async (
  written: Written,
  given: unknown,
  { key, schemas }: { readonly key: "input_schema" | "output_schema"; readonly schemas: PackageSchemas },
): Promise<Readonly<Record<string, unknown>> | null> => {
  if (!isMapping(given)) return null;
  const { schema, fault } = await schemas.check(given);
  if (fault === null) return schema;
  throw invalid(written, key, {
    message: `${key} is no usable JSON Schema: ${fault.slice(0, 300)}.`,
    fix: `Mend ${key}, by the rules of JSON Schema 2020-12.`,
  });
};

const nextToolsOf = (written: Written, given: unknown): PackageTool["nextTools"] => {
  if (!isMapping(given)) return null;
  const list = (...keys: readonly string[]): readonly string[] => {
    const key = keys.find((each) => given[each] !== undefined && given[each] !== null);
    const value = key === undefined ? [] : given[key];
    if (isTextList(value)) return value;
    throw new Invalid({
      reason: "invalid_tool",
      place: written.place("next-tools", key ?? ""),
      message: `${key} in next-tools has to be a list of texts.`,
      fix: "Write the names of tools as a list.",
    });
  };
  return { onSuccess: list("on-success", "on_success"), onFailure: list("on-failure", "on_failure") };
};

/** A key that was perhaps meant to put it into a group, and means nothing. */
const meansGroup = (value: unknown): boolean =>
  isMapping(value) && Object.keys(value).some((key) => canonicalKey(key) === null && nearestKey(key) === "group");

const riskOf = (given: unknown): RiskTier | null => {
  if (given === undefined) return null;
  return given === "host_script_execution" ? "high" : (given as RiskTier);
};

const textOf = (values: Values, key: string): string | null => {
  const value = values.get(key);
  return typeof value === "string" ? value : null;
};
