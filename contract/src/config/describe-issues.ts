/** Turns what the schema library found into findings: what was expected, and the value found unless it may be a secret. */
import type * as z from "zod/mini";
import { nearest } from "../nearest.ts";
import { type Finding, pointerOf } from "./finding.ts";
import { showValue } from "./show-value.ts";
import { valueAt } from "./value-at.ts";

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};

/** The expectation of a schema that states none itself. */
export const describeExpectation = (issue: RawIssue): string => {
  if (issue.code === "invalid_type") return `expected ${TYPES[String(issue.expected)] ?? String(issue.expected)}`;
  if (issue.code === "invalid_value") {
    const values = issue.values as readonly unknown[];
    const listed = values.map((value) => JSON.stringify(value)).join(", ");
    const close =
      values.length > 1 && typeof issue.input === "string" ? nearest(issue.input, values.map(String), 2) : null;
    const hint = close === null ? "" : ` (did you mean "${close}"?)`;
    return `expected ${values.length === 1 ? "" : "one of "}${listed}${hint}`;
  }
  return "not a usable value";
};

const isOnlyUnknownKeys = (issues: readonly Issue[]): boolean =>
  issues.length > 0 && issues.every((issue) => issue.code === "unrecognized_keys");

/** Of a value that fits no alternative, the faults of the alternative that went deepest, else the value itself. */
const flatten = (issue: Issue, base: readonly PropertyKey[]): { path: PropertyKey[]; message: string }[] => {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") return [];
  if (issue.code === "invalid_union") {
    const inner = issue.errors.find((issues) => issues.length > 0 && issues.every((each) => each.path.length > 0));
    if (inner) return inner.flatMap((each) => flatten(each, path));
    if (issue.errors.some(isOnlyUnknownKeys)) return [];
  }
  const named = issue.code === "invalid_key" ? issue.issues[0] : undefined;
  return [{ path, message: named ? `${named.message} as key` : issue.message }];
};

/** Unknown keys are left out: `walkKeys` reports them. */
export const describeIssues = (root: unknown, issues: readonly Issue[]): Finding[] => {
  const findings = new Map<string, Finding>();
  for (const { path, message } of issues.flatMap((issue) => flatten(issue, []))) {
    const pointer = pointerOf(path);
    const value = valueAt(root, path);
    const text = value === undefined ? `missing; ${message}` : `${message}, found ${showValue(value, pointer)}`;
    findings.set(`${pointer} ${text}`, { pointer, message: text });
  }
  return [...findings.values()];
};
