/** Which generator a config is for: the first rule that fires. The same table is what `capabilities://generators` shows. Pure. */
import { nearest } from "@bailiwick/contract";
import { ComposeError } from "../compose-error.ts";
import type { ContentConfig } from "../configs/config-types.ts";

export type SelectionRule =
  | "explicit_type"
  | "jinja_block"
  | "jinja_expression"
  | "placeholder"
  | "example_output"
  | "fallback";

export interface Selected {
  readonly type: string;
  readonly rule: SelectionRule;
  readonly confidence: "high" | "medium" | "low";
}

export interface SelectionPorts {
  /** Types of all generators that there are. */
  readonly known: ReadonlySet<string>;
  /** The template has `{%` or `{#`. */
  readonly usesJinjaBlocks: (template: string) => boolean;
  /** The template has `{{...}}` with more than a dotted name in it. */
  readonly usesJinjaExpression: (template: string) => boolean;
}

interface Rule {
  readonly id: SelectionRule;
  readonly when: string;
  /** Null: whatever the config names. */
  readonly type: string | null;
  readonly confidence: Selected["confidence"];
}

export const FALLBACK = "jinja2";

/** In order. */
export const SELECTION_RULES: readonly Rule[] = [
  { id: "explicit_type", when: "generation.patterns[0].type is set", type: null, confidence: "high" },
  { id: "jinja_block", when: "generation.patterns[0].template contains {% or {#", type: "jinja2", confidence: "high" },
  {
    id: "jinja_expression",
    when: "generation.patterns[0].template contains {{...}} whose inside is more than a dotted name",
    type: "jinja2",
    confidence: "high",
  },
  {
    id: "placeholder",
    when: "generation.patterns[0].template contains {{",
    type: "template_fill",
    confidence: "high",
  },
  { id: "example_output", when: "any element has example_output", type: "demonstration", confidence: "medium" },
  { id: "fallback", when: "no other rule fires", type: FALLBACK, confidence: "low" },
];

/** ComposeError `generator_not_found` where the config names a type that there is not. */
export const selectGenerator = (config: ContentConfig, ports: SelectionPorts): Selected => {
  const [pattern] = config.generation?.patterns ?? [];
  const { type: stated, template = "" } = pattern ?? {};
  const fires: Readonly<Record<SelectionRule, () => boolean>> = {
    explicit_type: () => stated !== undefined,
    jinja_block: () => ports.usesJinjaBlocks(template),
    jinja_expression: () => ports.usesJinjaExpression(template),
    placeholder: () => template.includes("{{"),
    example_output: () => config.elements.some(({ example_output: example }) => (example ?? null) !== null),
    fallback: () => true,
  };
  const { id, type, confidence } = SELECTION_RULES.find((rule) => fires[rule.id]())!;
  const chosen = type ?? stated ?? "";
  if (!ports.known.has(chosen)) throw notFound(chosen, ports.known);
  return { type: chosen, rule: id, confidence };
};

const notFound = (type: string, known: ReadonlySet<string>): ComposeError => {
  const available = [...known].toSorted();
  const near = nearest(type, available, 3);
  const hint = near === null ? "" : ` Did you mean "${near}"?`;
  const name = JSON.stringify(type.slice(0, 100).toWellFormed());
  return new ComposeError("generator_not_found", `There is no generator ${name}.${hint}`, {
    generator: type.slice(0, 100).toWellFormed(),
    available,
    next: "Call list_generators, and name one of them in generation.patterns[0].type.",
  });
};
