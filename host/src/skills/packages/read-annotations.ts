/** What a tool says of itself in the words of MCP: its annotations if it has any, else its flags. */
import { quote } from "./diagnostics.ts";
import { isMapping } from "./shapes.ts";
import { ANNOTATION_KEYS } from "./tool-keys.ts";

interface Say {
  readonly message: string;
  readonly fix: string;
  readonly warning?: true;
}

const FLAGS = [
  ["read_only", "readOnlyHint"],
  ["destructive", "destructiveHint"],
  ["idempotent", "idempotentHint"],
] as const;

/** `tell` throws where it is given no warning. Null: nothing is said. */
export const readAnnotations = (
  values: ReadonlyMap<string, unknown>,
  tell: (key: string, say: Say) => void,
): Readonly<Record<string, unknown>> | null => {
  const given = values.get("annotations");
  if (!isMapping(given)) {
    const flags = FLAGS.filter(([key]) => values.has(key)).map(([key, hint]) => [hint, values.get(key)] as const);
    return flags.length === 0 ? null : Object.fromEntries(flags);
  }
  const hints = new Map<string, unknown>();
  for (const [key, value] of Object.entries(given)) {
    const hint = ANNOTATION_KEYS.canonical(key);
    if (hint === null) {
      const near = ANNOTATION_KEYS.nearest(key);
      const message = `The annotation ${quote(key)} means nothing${near === null ? "." : `; did you mean ${near}?`}`;
      const fix = near === null ? `Take ${quote(key)} out.` : `Write ${near} instead of ${quote(key)}.`;
      tell(key, { message, fix, warning: true });
    } else if (value !== null) {
      const expected = hint === "title" ? "a text" : "true or false";
      const fits = typeof value === (hint === "title" ? "string" : "boolean");
      if (!fits) tell(key, { message: `${key} has to be ${expected}.`, fix: `Write ${expected} for ${key}.` });
      if (hints.has(hint)) tell(key, { message: `${hint} stands there twice.`, fix: "Keep one of them." });
      hints.set(hint, value);
    }
  }
  return Object.fromEntries(hints);
};
