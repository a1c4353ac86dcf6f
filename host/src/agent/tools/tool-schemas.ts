/** The JSON Schemas that the system tools are put together from. */
export const text = (description: string, limits: object = {}): object => ({ type: "string", description, ...limits });

export const integer = (description: string, limits: object = {}): object => ({
  type: "integer",
  description,
  ...limits,
});

export const list = (description: string, items: object, limits: object = {}): object => ({
  type: "array",
  description,
  items,
  ...limits,
});

export const object = (properties: Readonly<Record<string, object>>, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
});

export const orNull = (type: "string" | "number", description: string): object => ({
  type: [type, "null"],
  description,
});

export const flag = (description: string): object => ({ type: "boolean", description });
