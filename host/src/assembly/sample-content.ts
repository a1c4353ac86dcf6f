/**
 * A small content config to try a generator with: for those that come with the host one that shows what they do, for any other
 * one that has the fields it requires. Pure.
 */
export interface SampleOrder {
  readonly type: string;
  /** As its `requirements.fields` names them: `generation.patterns[0].template`, `elements[].example_output`. */
  readonly fields: readonly string[];
}

export interface SampleContent {
  readonly config: Readonly<Record<string, unknown>>;
  /** Fields that it requires and no sample can be made for. */
  readonly unmet: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

interface Sample {
  readonly element: Members;
  readonly pattern: Members;
}

const SAMPLES: ReadonlyMap<string, Partial<Sample>> = new Map<string, Partial<Sample>>([
  [
    "jinja2",
    {
      pattern: {
        template: "# {{ title }}\n{% for item in items %}\n{{ loop.index }}. {{ item | upper }}\n{%- endfor %}",
        generation_config: { context: { title: "A sample", items: ["one", "two"] } },
      },
    },
  ],
  [
    "template_fill",
    {
      pattern: {
        template: "Dear {{name}},\n\n{{message}}",
        generation_config: { context: { name: "Ada", message: "this is a sample." } },
      },
    },
  ],
  ["demonstration", { element: { example_output: "This is a sample." } }],
  [
    "bdd_scenario_assembly",
    {
      pattern: {
        generation_config: {
          feature: { title: "A sample", tags: ["sample"] },
          scenarios: [
            {
              title: "A text is made",
              steps: ["Given a config", "When its generator is tested", "Then there is a text"],
            },
          ],
        },
      },
    },
  ],
  [
    "code_generation",
    {
      pattern: {
        specification: "A function that adds two numbers.",
        generation_config: { language: "python", max_tokens: 500 },
      },
    },
  ],
]);

export const sampleContent = ({ type, fields }: SampleOrder): SampleContent => {
  const known = SAMPLES.get(type);
  const { element, pattern, unmet } = known === undefined ? meet(fields) : { ...NOTHING, ...known };
  const config = {
    type: "content",
    id: `sample-${type.replaceAll("_", "-")}`,
    schemaRef: { id: "content", version: "1.0" },
    metadata: { description: `A sample for the generator ${type}.`, version: "1.0.0" },
    elements: [{ name: "sample", ...element }],
    generation: { patterns: [{ id: "sample", type, ...pattern }] },
  };
  return { config, unmet };
};

const NOTHING = { element: {}, pattern: {}, unmet: [] };

/** The places where a field may stand, the longest first; deeper, nothing is known of what a field holds. */
const PLACES = ["context", "settings", "pattern", "element"] as const;
const STARTS: Readonly<Record<(typeof PLACES)[number], RegExp>> = {
  context: /^generation\.patterns\[0?\]\.generation_config\.context\./,
  settings: /^generation\.patterns\[0?\]\.generation_config\./,
  pattern: /^generation\.patterns\[0?\]\./,
  element: /^elements\[0?\]\./,
};
const NAME = /^[A-Za-z]\w{0,63}$/;
/** What they hold is no text, or is here already. */
const NO_TEXT: ReadonlySet<string> = new Set(["id", "name", "type", "variables", "generation_config", "context"]);

const meet = (fields: readonly string[]): Sample & { readonly unmet: readonly string[] } => {
  const found = { context: new Map(), settings: new Map(), pattern: new Map(), element: new Map() };
  const unmet: string[] = [];
  for (const field of fields) {
    const place = PLACES.find((each) => STARTS[each].test(field));
    const name = place === undefined ? "" : field.replace(STARTS[place], "");
    const isText = place === "context" || !NO_TEXT.has(name);
    if (place !== undefined && isText && NAME.test(name)) found[place].set(name, `A sample of ${name}.`);
    else unmet.push(field);
  }
  const { context, settings, pattern, element } = found;
  if (context.size > 0) settings.set("context", membersOf(context));
  if (settings.size > 0) pattern.set("generation_config", membersOf(settings));
  return { element: membersOf(element), pattern: membersOf(pattern), unmet };
};

const membersOf = (map: ReadonlyMap<string, unknown>): Members => Object.fromEntries(map);
