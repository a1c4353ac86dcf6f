/** What `generation_config` may say to `code_generation`, checked: nothing is taken silently that cannot be done. Pure. */
import { generationFailed } from "./generation.ts";

export interface CodeSettings {
  /** Null: the host's own. */
  readonly model: string | null;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly language: string | null;
  readonly styleHints: readonly string[];
  readonly systemPrompt: string | null;
  readonly retryCount: number;
  readonly retryDelayMs: number;
  readonly fallbackTemplate: string | null;
}

type Given = Readonly<Record<string, unknown>>;

const wrong = (key: string, must: string): Error => generationFailed(`generation_config.${key} must be ${must}`);

const numberOf = (
  given: Given,
  key: string,
  range: { from: number; to: number; or: number; whole: boolean },
): number => {
  const value = given[key] ?? range.or;
  const fits = typeof value === "number" && value >= range.from && value <= range.to;
  if (fits && (!range.whole || Number.isInteger(value))) return value;
  throw wrong(key, `a ${range.whole ? "whole " : ""}number from ${range.from} to ${range.to}`);
};

const textOf = (given: Given, key: string): string | null => {
  const value = given[key] ?? null;
  if (value === null || typeof value === "string") return value;
  throw wrong(key, "a text");
};

/** Of one line: it becomes part of a sentence. */
const wordsOf = (given: Given, key: string): string | null => {
  const value = textOf(given, key)?.trim() ?? "";
  if (value.length > 200 || /\p{Cc}/u.test(value)) throw wrong(key, "a text of one line and at most 200 characters");
  return value === "" ? null : value;
};

const hintsOf = (given: Given): readonly string[] => {
  const value = given["style_hints"] ?? [];
  const isList = Array.isArray(value) && value.every((hint) => typeof hint === "string");
  if (!isList || value.length > 100) throw wrong("style_hints", "a list of at most 100 texts");
  return value;
};

export const readCodeSettings = (given: Given): CodeSettings => ({
  model: wordsOf(given, "model"),
  temperature: numberOf(given, "temperature", { from: 0, to: 2, or: 0, whole: false }),
  maxTokens: numberOf(given, "max_tokens", { from: 1, to: 200_000, or: 4_096, whole: true }),
  language: wordsOf(given, "language"),
  styleHints: hintsOf(given),
  systemPrompt: textOf(given, "system_prompt"),
  retryCount: numberOf(given, "retry_count", { from: 0, to: 10, or: 3, whole: true }),
  retryDelayMs: numberOf(given, "retry_delay", { from: 0, to: 60, or: 1, whole: false }) * 1_000,
  fallbackTemplate: textOf(given, "fallback_template"),
});
