/** Fields of elements that nothing uses: neither the generator that takes the config nor one of its own rules. Pure. */
import type { GenerationPattern, ContentConfig } from "./config-types.ts";
import type { ConfigWarning } from "./config-reading.ts";

const FIELDS = [
  "prompt_guidance",
  "format",
  "output_format",
  "example_output",
  "generation_source",
  "human_feedback",
] as const;

interface Taken {
  /** A built-in generator: what a plug-in reads is its own matter. */
  readonly type: string;
  readonly pattern: GenerationPattern | null;
}

/** One for each name of a field, however many elements have it. */
export const idleElementFields = (config: ContentConfig, { type, pattern }: Taken): ConfigWarning[] => {
  const { elements } = config;
  const isFilled = type === "demonstration" && pattern?.template !== undefined;
  const sources = isFilled ? (pattern?.variables ?? []).map(({ source }) => source) : [];
  const named = new Set([...sources, ...(config.validation?.rules ?? []).map(({ target }) => target)]);
  // Without a template the examples are the text.
  const used = type === "demonstration" && !isFilled ? "example_output" : null;
  return FIELDS.filter((field) => field !== used).flatMap((field) => {
    const idle = elements.flatMap((element, at) => {
      const isNamed =
        named.has(`elements.${element.name}.${field}`) ||
        named.has(`elements.${at}.${field}`) ||
        (field === "example_output" && named.has(element.name));
      return (element[field] ?? null) === null || isNamed ? [] : [at];
    });
    return idle.length === 0 ? [] : [warn({ type, field, first: idle[0]!, count: idle.length })];
  });
};

interface Idle {
  readonly type: string;
  readonly field: string;
  readonly first: number;
  readonly count: number;
}

const warn = ({ type, field, first, count }: Idle): ConfigWarning => {
  const how = type === "demonstration" ? " unless generation.patterns[].variables names it as a source" : "";
  const many = count === 1 ? "One element has it" : `${count} elements have it, this one first`;
  return {
    code: "unsupported_field",
    pointer: `/elements/${first}/${field}`,
    message: `${type} does not read ${field}${how}. ${many}.`,
  };
};
