/** Keys that a `nimblebrain.json` may have and a `bailiwick.json` has not: one is read, the others are named and left. */
import { type Finding, pointerOf } from "./finding.ts";
import { showValue } from "./show-value.ts";

const UNUSED: ReadonlySet<string> = new Set([
  "telemetry",
  "home",
  "skills",
  "sessionStore",
  "usage",
  "connectors",
  "modelPolicy",
]);

const isUnused = (key: string): boolean => UNUSED.has(key) || key.startsWith("thinking");

const note = (...path: readonly string[]): Finding => ({
  pointer: pointerOf(path),
  message: "understood and not used",
});

export interface ForeignReading {
  /** The file without its foreign keys. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly notes: readonly Finding[];
  readonly errors: readonly Finding[];
}

export const readForeignKeys = (file: Readonly<Record<string, unknown>>): ForeignReading => {
  const { models, ...rest } = file;
  const value = Object.fromEntries(Object.entries(rest).filter(([key]) => !isUnused(key)));
  const notes = Object.keys(rest)
    .filter(isUnused)
    .map((key) => note(key));
  if (models === undefined) return { value, notes, errors: [] };
  if (typeof models !== "object" || models === null || Array.isArray(models)) {
    return { value, notes, errors: [wrong("/models", "an object with the member default", models)] };
  }
  const { default: model, ...others } = models as Record<string, unknown>;
  notes.push(...Object.keys(others).map((key) => note("models", key)));
  if (model === undefined) return { value, notes, errors: [] };
  if (typeof model !== "string") return { value, notes, errors: [wrong("/models/default", "a string", model)] };
  if (value["defaultModel"] === undefined) return { value: { ...value, defaultModel: model }, notes, errors: [] };
  notes.push({ pointer: "/models/default", message: "not used, because defaultModel is set" });
  return { value, notes, errors: [] };
};

const wrong = (pointer: string, expected: string, found: unknown): Finding => ({
  pointer,
  message: `expected ${expected}, found ${showValue(found, pointer)}`,
});
