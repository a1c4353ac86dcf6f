/**
 * A test of one argument, as rules, guardrails and standing approvals write it: a JSON pointer, an operator, a value. What is
 * missing, of another type or cannot be read is neither true nor false: each use says what that means for it.
 */
import { createRequire } from "node:module";
import { isUnder, type UnderLists } from "./is-under.ts";
import { jcs } from "./jcs.ts";

/** Where the call may work, asked by tests that need it and by no other; null: nobody knows. */
export interface Rooted {
  roots(): UnderLists | null;
}

/** True, false, or null: it cannot be said. */
export type ArgumentTest = (args: Readonly<Record<string, unknown>>, where: Rooted | null) => boolean | null;

export type ReadTest = { readonly test: ArgumentTest } | { readonly fault: string };

type Compare = (found: unknown, where: Rooted | null) => boolean | null;

const require = createRequire(import.meta.url);
const MAX_PATTERN = 10_000;

/** Linear in pattern and text, whoever wrote either; ignores case. Null: it is none. */
export const linearPattern = (pattern: string): ((text: string) => boolean) | null => {
  if (pattern.length > MAX_PATTERN) return null;
  // Loaded when the first pattern is read: a host without any never needs it.
  const { RE2JS } = require("re2js") as typeof import("re2js");
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.CASE_INSENSITIVE);
    return (text) => compiled.test(text);
  } catch {
    return null;
  }
};

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const same = (a: unknown, b: unknown): boolean => a === b || (typeof a === "object" && jcs(a) === jcs(b));

const equals =
  (value: unknown, wanted: boolean): Compare =>
  (found) =>
    typeOf(found) === typeOf(value) ? same(found, value) === wanted : null;

const ORDERS: Readonly<Record<string, (a: number | string, b: number | string) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

const ordered =
  (value: number | string, holds: (a: number | string, b: number | string) => boolean): Compare =>
  (found) =>
    typeof found === typeof value ? holds(found as typeof value, value) : null;

const among =
  (values: readonly unknown[], wanted: boolean): Compare =>
  (found) => {
    if (!values.some((value) => typeOf(value) === typeOf(found))) return null;
    return values.some((value) => same(found, value)) === wanted;
  };

/** `folder`: the name of a root, or a folder as `workspace://` writes it; null: any root. */
const under =
  (folder: string | null): Compare =>
  (found, where) => {
    const lists = typeof found === "string" ? (where?.roots() ?? null) : null;
    return lists === null ? null : isUnder(lists, found as string, folder);
  };

/** A fault as text, or what the operator does with a value that is there. */
const readOperator = (op: unknown, value: unknown): Compare | string => {
  if (op === "=" || op === "!=") return value === undefined ? `${op} needs a value` : equals(value, op === "=");
  if (typeof op === "string" && Object.hasOwn(ORDERS, op)) {
    const number = typeof value === "number" && Number.isFinite(value);
    return number || typeof value === "string" ? ordered(value, ORDERS[op]!) : `${op} needs a number or a string`;
  }
  if (op === "in" || op === "not_in") return Array.isArray(value) ? among(value, op === "in") : `${op} needs a list`;
  if (op === "matches") {
    const pattern = typeof value === "string" ? linearPattern(value) : null;
    return pattern === null
      ? "matches needs a regular expression without look-around and back-references"
      : (found) => (typeof found === "string" ? pattern(found) : null);
  }
  if (op === "under") {
    if (value === undefined || typeof value === "string") return under(value ?? null);
    return "under takes the name of a root or a workspace:// folder";
  }
  return `there is no operator ${JSON.stringify(op)}`;
};

const ABSENT = Symbol("absent");

/** The steps of a JSON pointer; null: it is none. */
const readPointer = (path: unknown): readonly string[] | null => {
  if (typeof path !== "string" || (path !== "" && !path.startsWith("/"))) return null;
  if (/~(?![01])/.test(path)) return null;
  return path === ""
    ? []
    : path
        .slice(1)
        .split("/")
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
};

const valueAt = (document: unknown, steps: readonly string[]): unknown => {
  let at = document;
  for (const step of steps) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return ABSENT;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
};

const KNOWN = new Set(["path", "op", "value"]);

export const readArgumentTest = (written: unknown): ReadTest => {
  if (typeof written !== "object" || written === null) return { fault: "a test must be an object" };
  const { path, op, value } = written as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(written).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return { fault: `a test has no member ${JSON.stringify(unknown)}` };
  const steps = readPointer(path);
  if (steps === null) return { fault: `${JSON.stringify(path)} is no JSON pointer such as /amount` };
  if (op === "exists") {
    if (value !== undefined && typeof value !== "boolean") return { fault: "exists takes true or false" };
    return { test: (args) => (valueAt(args, steps) !== ABSENT) === (value ?? true) };
  }
  const compare = readOperator(op, value);
  if (typeof compare === "string") return { fault: compare };
  return {
    test: (args, where) => {
      const found = valueAt(args, steps);
      return found === ABSENT ? null : compare(found, where);
    },
  };
};
