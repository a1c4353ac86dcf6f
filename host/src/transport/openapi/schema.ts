/** Short words for the JSON Schemas of the API's description. */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: "string" };
export const flag: Schema = { type: "boolean" };
export const number: Schema = { type: "number" };
export const count: Schema = { type: "integer", minimum: 0 };
export const time: Schema = { type: "string", format: "date-time" };
/** An object of which no more is said here. */
export const anyObject: Schema = { type: "object" };

export const word = (...values: readonly string[]): Schema => ({ type: "string", enum: values });
export const between = (minimum: number, maximum: number): Schema => ({ type: "integer", minimum, maximum });
export const list = (items: Schema): Schema => ({ type: "array", items });
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const said = (description: string, schema: Schema = text): Schema => ({ ...schema, description });

type Members = Readonly<Record<string, Schema>>;

/** What an answer has; a `?` at the end of a name: it may be absent. Later versions may add more. */
export const object = (members: Members): Schema => {
  const names = Object.keys(members);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [plain(name), members[name]])),
    required: names.filter((name) => !name.endsWith("?")),
  };
};

/** What a request may have, and nothing else. */
export const order = (members: Members): Schema => ({ ...object(members), additionalProperties: false });

const plain = (name: string): string => (name.endsWith("?") ? name.slice(0, -1) : name);
