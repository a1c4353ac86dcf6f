/** What a tool's own output schema has against a result; null: nothing. A schema that cannot be used vouches for nothing. */
import { compileSchema } from "./compile-schema.ts";

export const checkOutput = (definition: Readonly<Record<string, unknown>>, structured: unknown): string | null => {
  if (definition["outputSchema"] === undefined) return null;
  const schema = compileSchema(definition, "outputSchema");
  if ("unreadable" in schema) return `its output schema cannot be used (${schema.unreadable.slice(0, 500)})`;
  const wrong = schema.check(structured);
  return wrong && `${wrong.path === "" ? "the result" : wrong.path} ${wrong.reason}`;
};
