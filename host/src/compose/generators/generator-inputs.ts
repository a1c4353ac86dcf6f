/** What each built-in generator reads of its pattern, so that whatever else stands there can be told. */
export interface GeneratorInputs {
  readonly pattern: readonly ("template" | "specification" | "variables")[];
  /** Keys of `generation_config`. */
  readonly settings: readonly string[];
}

const INPUTS: ReadonlyMap<string, GeneratorInputs> = new Map([
  ["jinja2", { pattern: ["template"], settings: ["context"] }],
  ["template_fill", { pattern: ["template"], settings: ["context", "undefined_behavior"] }],
  ["demonstration", { pattern: ["template", "variables"], settings: [] }],
  [
    "bdd_scenario_assembly",
    { pattern: [], settings: ["context", "feature", "background", "scenarios", "scenario_outlines"] },
  ],
  [
    "code_generation",
    {
      pattern: ["specification"],
      settings: [
        "context",
        "prompt",
        "model",
        "temperature",
        "max_tokens",
        "language",
        "style_hints",
        "system_prompt",
        "retry_count",
        "retry_delay",
        "fallback_template",
      ],
    },
  ],
] satisfies [string, GeneratorInputs][]);

/** What `template_fill` may do where a variable has no value. */
export const UNDEFINED_BEHAVIORS: readonly string[] = ["error", "keep", "empty"];

/** Null: a plug-in, which reads what it likes. */
export const inputsOf = (type: string): GeneratorInputs | null => INPUTS.get(type) ?? null;
