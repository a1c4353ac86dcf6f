/** The five generators that come with the host, as they are described. What they do is elsewhere. */
import type { GeneratorEntry } from "./generator-entry.ts";

/** One for all of them: they come with the host and change with it. */
const VERSION = "1.0.0";
const TYPE_FIELD = "generation.patterns[0].type";
const TEMPLATE_FIELD = "generation.patterns[0].template";
const SETTINGS = "generation.patterns[0].generation_config";

type Own = Omit<GeneratorEntry, "version" | "source" | "status" | "docs_uri" | "upstream_dependencies">;

/** Members in the order of the document; the description is for lists. */
const local = ({ type, name, description, ...own }: Own): GeneratorEntry => ({
  type,
  name,
  version: VERSION,
  source: "builtin",
  status: "stable",
  ...own,
  docs_uri: `generator://${type}`,
  upstream_dependencies: null,
  description,
});

export const BUILT_IN_GENERATORS: readonly GeneratorEntry[] = [
  local({
    type: "jinja2",
    name: "Jinja2Generator",
    description: "Renders a Jinja2 template with the context, in a sandbox.",
    capabilities: ["templates", "loops", "conditionals", "filters", "inheritance"],
    indicators: {
      config_field: TYPE_FIELD,
      config_values: ["jinja2"],
      template_patterns: ["{%", "{#"],
      confidence: "high",
    },
    requirements: { fields: [TEMPLATE_FIELD], dependencies: [], env_vars: [] },
    best_for: ["documents with loops and conditions", "reports"],
  }),
  local({
    type: "template_fill",
    name: "TemplateFillGenerator",
    description: "Fills the named blanks of a template from the context.",
    capabilities: ["variable_substitution", "simple_placeholders"],
    indicators: {
      config_field: TYPE_FIELD,
      config_values: ["template_fill"],
      template_patterns: ["{{"],
      confidence: "high",
      excludes: ["{%", "{#"],
    },
    requirements: { fields: [TEMPLATE_FIELD], dependencies: [], env_vars: [] },
    best_for: ["short texts", "letters with named blanks"],
  }),
  local({
    type: "demonstration",
    name: "DemonstrationGenerator",
    description: "Puts the examples that the config holds together, or into a template.",
    capabilities: ["examples", "few_shot", "style_consistency"],
    indicators: { config_field: "elements[].example_output", confidence: "medium" },
    requirements: { fields: ["elements[].example_output"], dependencies: [], env_vars: [] },
    best_for: ["fixed examples kept in one style"],
  }),
  local({
    type: "bdd_scenario_assembly",
    name: "BddScenarioGenerator",
    description: "Writes a Gherkin feature from its scenarios, outlines and steps.",
    capabilities: ["gherkin", "scenarios", "data_tables"],
    indicators: { config_field: TYPE_FIELD, config_values: ["bdd_scenario_assembly"], confidence: "high" },
    requirements: { fields: [`${SETTINGS}.feature`, `${SETTINGS}.scenarios`], dependencies: [], env_vars: [] },
    best_for: ["Gherkin features"],
  }),
  {
    ...local({
      type: "code_generation",
      name: "CodeGenerationGenerator",
      description: "Has a model write source code from a description.",
      capabilities: ["ai_powered", "multi_language", "cost_tracking"],
      indicators: { config_field: TYPE_FIELD, config_values: ["code_generation"], confidence: "high" },
      requirements: {
        fields: ["generation.patterns[0].specification"],
        dependencies: ["anthropic"],
        env_vars: ["ANTHROPIC_API_KEY"],
      },
      best_for: ["source code from a description"],
    }),
    upstream_dependencies: {
      services: ["anthropic"],
      credentials_required: ["ANTHROPIC_API_KEY"],
      optional_services: [],
      expected_latency_ms: { p50: 1500, p95: 5000 },
      stability: "stable",
      concurrency_safe: true,
    },
  },
];
