/** Pieces of a stranger's JSON: few, short and printable. Pure. */
import { isObject } from "../shapes.ts";

const MAX_ITEMS = 100;

/** Control characters, and those that turn the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/** Null: no text. */
export const textOf = (value: unknown, maxLength: number): string | null => {
  if (typeof value !== "string") return null;
  return value.replace(UNPRINTABLE, " ").trim().slice(0, maxLength);
};

/** A trust score that a registry publishes; null: none. */
export const scoreOf = (...values: readonly unknown[]): number | null => {
  const score = values.find((value) => typeof value === "number");
  return typeof score === "number" && score >= 0 && score <= 100 ? score : null;
};

/** The objects in a list; empty where there is no list. */
export const objectsIn = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.slice(0, MAX_ITEMS).filter(isObject) : [];
