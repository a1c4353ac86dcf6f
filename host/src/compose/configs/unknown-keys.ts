/** Keys of a config that its schema does not name, each with the nearest name that it has. Such keys change nothing. */
import { nearest } from "@bailiwick/contract";
import { stepInto } from "../../kernel/read-yaml.ts";
import type { ConfigWarning } from "./config-reading.ts";

interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
}

const MAX_DISTANCE = 3;
const MAX_TOLD = 100;

/** What a generator reads of it is the generator's to say. */
const FREE = new Set(["generation_config"]);

export const findUnknownKeys = (schema: unknown, data: unknown, pointer = ""): ConfigWarning[] => {
  const { properties, items } = schema as Shape;
  if (Array.isArray(data)) {
    return items === undefined ? [] : data.flatMap((item, at) => findUnknownKeys(items, item, stepInto(pointer, at)));
  }
  if (typeof data !== "object" || data === null || properties === undefined) return [];
  return Object.entries(data).flatMap(([key, value]) => {
    const at = stepInto(pointer, key);
    if (Object.hasOwn(properties, key)) return FREE.has(key) ? [] : findUnknownKeys(properties[key], value, at);
    return key === "$schema" || key.startsWith("x-") ? [] : [unknownKey(key, at, Object.keys(properties))];
  });
};

export const unknownKey = (key: string, pointer: string, known: readonly string[]): ConfigWarning => {
  const near = nearest(key, known, Math.min(MAX_DISTANCE, Math.floor(key.length / 2)));
  const name = JSON.stringify(key.slice(0, MAX_TOLD).toWellFormed());
  const next = near === null ? "Remove it, or begin its name with x-." : `Did you mean ${JSON.stringify(near)}?`;
  return { code: "unknown_key", pointer, message: `${name} is not known here and changes nothing. ${next}` };
};
