/**
 * The keys that an entry of `tools.yaml` may have, and what each has to be. A key of the wrong type makes its entry invalid;
 * one that is not here is a warning.
 */
import { nearest } from "@bailiwick/contract";
import { isMapping, isTextList, readTexts } from "./shapes.ts";

interface KeyRule {
  /** "timeout_hint_secs has to be …" */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const text: KeyRule = { expected: "a text", fits: (value) => typeof value === "string" };
const name: KeyRule = {
  expected: "a text that is not empty",
  fits: (value) => typeof value === "string" && value !== "",
};
const flag: KeyRule = { expected: "true or false", fits: (value) => typeof value === "boolean" };
const mapping: KeyRule = { expected: "a mapping", fits: isMapping };
const texts: KeyRule = { expected: "a list of texts", fits: isTextList };
const oneOrMoreTexts: KeyRule = { expected: "a text or a list of texts", fits: (value) => readTexts(value) !== null };
const oneOf = (...words: readonly string[]): KeyRule => ({
  expected: `one of ${words.join(", ")}`,
  fits: (value) => typeof value === "string" && words.includes(value),
});

const seconds: KeyRule = {
  expected: "a whole number from 1 to 600",
  fits: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 600,
};
const examples: KeyRule = {
  expected: "a list of {arguments, note}",
  fits: (value) => Array.isArray(value) && value.every(isExample),
};
const isExample = (value: unknown): boolean =>
  isMapping(value) &&
  (value["arguments"] === undefined || isMapping(value["arguments"])) &&
  (value["note"] === undefined || typeof value["note"] === "string");

export const TOOL_KEYS: ReadonlyMap<string, KeyRule> = new Map([
  ["name", name],
  ["description", text],
  ["input_schema", mapping],
  ["output_schema", mapping],
  ["required_capabilities", texts],
  ["read_only", flag],
  ["destructive", flag],
  ["idempotent", flag],
  ["annotations", mapping],
  ["source_file", name],
  ["execution", oneOf("sync", "async")],
  ["timeout_hint_secs", seconds],
  ["thread-affinity", oneOf("any", "main")],
  ["group", name],
  ["risk", oneOf("low", "medium", "high", "critical", "host_script_execution")],
  [
    "side_effects",
    { expected: "a text, a list, a mapping, true or false", fits: (value) => typeof value !== "number" },
  ],
  ["call_examples", examples],
  ["search_aliases", oneOrMoreTexts],
  ["next-tools", mapping],
  ["produces", oneOrMoreTexts],
  ["requires", oneOrMoreTexts],
  ["intent", text],
  ["tool_role", text],
]);

/** Other spellings, as the key they stand for. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["required-capabilities", "required_capabilities"],
  ["affinity", "thread-affinity"],
  ["thread_affinity", "thread-affinity"],
  ["next_tools", "next-tools"],
]);

const HINTS: readonly string[] = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
const toCamel = (key: string): string => key.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
const isHint = (key: string): boolean => HINTS.includes(toCamel(key));

export const ANNOTATION_KEYS = {
  /** As MCP has it; null: there is none of this name. */
  canonical: (key: string): string | null => (isHint(key) ? toCamel(key) : null),
  nearest: (key: string): string | null => nearest(toCamel(key), HINTS, 4),
};

export const canonicalKey = (key: string): string | null => (TOOL_KEYS.has(key) ? key : (SPELLINGS.get(key) ?? null));

/** What somebody probably meant by a key that means nothing. */
export const nearestKey = (key: string): string | null => {
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return isHint(key)
    ? `annotations.${key}`
    : (nearest(snake, TOOL_KEYS.keys(), 3) ?? nearest(key, TOOL_KEYS.keys(), 3));
};
