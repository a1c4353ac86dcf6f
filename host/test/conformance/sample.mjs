// A value that a schema admits: its default, else something plain of its type.
const PLAIN = { string: "x", integer: 1, number: 1.5, boolean: true, array: [], null: null };

const first = (schema) => schema.enum?.[0] ?? schema.oneOf?.[0]?.const;

const valueOf = (schema) => {
  if (schema.default !== undefined) return schema.default;
  if (schema.type === "object") return sampleOf(schema);
  return first(schema) ?? PLAIN[schema.type] ?? "x";
};

/** An object with all properties that must be there or have a default. */
export const sampleOf = ({ properties = {}, required = [] }) =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name, schema]) => required.includes(name) || schema.default !== undefined)
      .map(([name, schema]) => [name, valueOf(schema)]),
  );
