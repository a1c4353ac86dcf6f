/** What the schemas of the capability documents have in common. Keys that they do not name are allowed: formats grow. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

export const TEXT = { type: "string" } as const;
export const COUNT = { type: "integer", minimum: 0 } as const;
export const FLAG = { type: "boolean" } as const;
export const TEXTS = { type: "array", items: TEXT } as const;
export const ANY_OBJECT = { type: "object" } as const;

/** All of the members are there; `optional` ones may be. */
export const record = (
  required: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
) => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...optional },
});

export const list = (items: object) => ({ type: "array", items });
export const mapOf = (values: object) => ({ type: "object", additionalProperties: values });
