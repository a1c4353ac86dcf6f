/** `demonstration`: the examples that a config holds, one after another or put into a template. The caller's context is not used. */
import type { ContentConfig, ContentElement, PatternVariable } from "../configs/config-types.ts";
import { generationFailed, type Generate } from "./generation.ts";
import { fillPlaceholders, keepPlaceholder, lookInto } from "./placeholders.ts";
import { TextTotal } from "./text-total.ts";

const BETWEEN = "\n\n";
const SOURCE = /^elements\.(.+)\.([^.]+)$/;
const unescape = (text: string): string =>
  text.includes("\\") ? text.replace(/\\[nt]/g, (found) => (found === "\\n" ? "\n" : "\t")) : text;

export const demonstration: Generate = ({ config, pattern, maxBytes }) => {
  const find = finderOf(config.elements);
  const values = new Map((pattern?.variables ?? []).map((variable) => [variable.name, resolve(variable, find)]));
  if (pattern?.template === undefined) return joinExamples(config, maxBytes);
  const nested = Object.fromEntries(values);
  const look = (name: string): unknown => values.get(name) ?? lookInto(nested, name);
  const total = new TextTotal(maxBytes);
  return fillPlaceholders(pattern.template, { look, missing: keepPlaceholder, around: unescape, total });
};

const joinExamples = ({ id, elements }: ContentConfig, maxBytes: number): string => {
  const total = new TextTotal(maxBytes);
  const examples = elements.map(({ example_output: example }) => example).filter(isThere);
  if (examples.length === 0) throw generationFailed(`Config '${id}' has no element with an example_output`);
  total.add(BETWEEN.repeat(examples.length - 1));
  return examples.map((example) => total.addValue(example)).join(BETWEEN);
};

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

type Find = (which: string) => ContentElement | undefined;

const resolve = ({ name, source, ...rest }: PatternVariable, find: Find): unknown => {
  const [, which = "", field = ""] = SOURCE.exec(source) ?? [];
  const element = find(which);
  const value = element !== undefined && Object.hasOwn(element, field) ? element[field] : undefined;
  if (isThere(value)) return value;
  if (isThere(rest.default)) return rest.default;
  throw generationFailed(`Cannot resolve variable '${name}' from source '${source}'`, { variable: name, source });
};

/** By name, of several the first, or by number. There may be many of both, so that they are not gone through for each. */
const finderOf = (elements: readonly ContentElement[]): Find => {
  const byName = new Map(elements.toReversed().map((element) => [element.name, element]));
  return (which) => byName.get(which) ?? (/^\d{1,6}$/.test(which) ? elements[Number(which)] : undefined);
};
