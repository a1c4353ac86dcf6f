/** Pieces of the schemas of tools, each with what it is for. */
type Properties = Readonly<Record<string, object>>;

export const described = {
  text: (description: string, more: object = {}) => ({ type: "string", description, ...more }),
  textOrNull: (description: string) => ({ type: ["string", "null"], description }),
  count: (description: string) => ({ type: "integer", minimum: 0, description }),
  flag: (description: string, more: object = {}) => ({ type: "boolean", description, ...more }),
  word: (values: readonly string[], description: string, more: object = {}) => ({
    type: "string",
    enum: values,
    description,
    ...more,
  }),
  list: (items: object, description: string) => ({ type: "array", items, description }),
  /** All of them are always there. */
  record: (properties: Properties, description: string) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    description,
  }),
  /** Each of them may be left out, and nothing else may be said. */
  options: (properties: Properties, description: string) => ({
    type: "object",
    properties,
    additionalProperties: false,
    description,
  }),
  /** What a tool takes. */
  input: (properties: Properties, required: readonly string[] = []) => ({
    type: "object",
    properties,
    required,
    additionalProperties: false,
  }),
} as const;
