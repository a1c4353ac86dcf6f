/** How often a template names each variable, and which of the context's it does not name. */
import type { GenerationPattern } from "../configs/config-types.ts";
import { choosePattern } from "../generators/choose-pattern.ts";
import { placeholdersIn } from "../generators/placeholders.ts";
import { TemplateError } from "../jinja/template-error.ts";
import { variableUsage } from "../jinja/variable-usage.ts";
import { contentHash } from "../storage/stored-version.ts";
import type { Prepared } from "../workbench.ts";

export interface VariableReport {
  /** Null: the generator takes no template from this config. */
  readonly template_hash: string | null;
  readonly variable_usage: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}

type Counts = Map<string, number>;

export const reportVariables = (prepared: Prepared): VariableReport => {
  const { generator, templates } = prepared;
  const pattern = choosePattern(prepared.order.config, generator.type);
  const isJinja = generator.type === "jinja2";
  const texts = isJinja ? [templates.text ?? "", ...templates.files.values()] : textsOf(pattern, generator.type);
  const counts: Counts = new Map();
  for (const text of texts) (isJinja ? countJinja : countPlaceholders)(text, counts);
  const template = isJinja ? templates.text : templateOf(pattern);
  return {
    template_hash: template === null ? null : contentHash(template),
    variable_usage: Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    warnings: warningsOf(prepared, counts),
  };
};

const templateOf = (pattern: GenerationPattern | null): string | null => {
  const prompt = pattern?.generation_config?.["prompt"];
  return pattern?.template ?? pattern?.specification ?? (typeof prompt === "string" ? prompt : null);
};

/** All texts in which that generator fills placeholders. */
const textsOf = (pattern: GenerationPattern | null, type: string): readonly string[] => {
  const settings = pattern?.generation_config ?? {};
  if (type === "bdd_scenario_assembly") {
    const { feature, background, scenarios, scenario_outlines: outlines } = settings;
    return stringsIn([feature, background, scenarios, outlines]);
  }
  const template = templateOf(pattern);
  const fallback = type === "code_generation" ? stringsIn(settings["fallback_template"]) : [];
  return template === null ? fallback : [template, ...fallback];
};

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

const add = (counts: Counts, name: string, times: number): void => {
  counts.set(name, (counts.get(name) ?? 0) + times);
};

const countPlaceholders = (text: string, counts: Counts): void => {
  for (const { name } of placeholdersIn(text)) add(counts, name.split(".", 1)[0]!, 1);
};

const countJinja = (text: string, counts: Counts): void => {
  try {
    for (const [name, times] of Object.entries(variableUsage(text))) add(counts, name, times);
  } catch (error) {
    // A file that was never reached may be faulty, and the text was made all the same.
    if (!(error instanceof TemplateError)) throw error;
  }
};

const warningsOf = ({ generator, templates, contextVariables }: Prepared, counts: Counts): readonly string[] => {
  if (templates.isOpen)
    return ["The template includes others by names that are known only when it runs; their variables are not counted"];
  // A plug-in reads what it likes, with or without a template.
  if (generator.source === "plugin") return [];
  const readsContext = generator.type !== "demonstration";
  return contextVariables
    .filter((name) => !readsContext || !counts.has(name))
    .map((name) => `Context variable '${name}' provided but not used in template`);
};
