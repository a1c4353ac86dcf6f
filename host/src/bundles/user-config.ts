/**
 * Values for a manifest's `user_config`: what the entry gives, else the manifest's default with its variables expanded.
 * Pure. A default satisfies a required field.
 */
import { nearest } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";
import type { Manifest, UserConfigField } from "./manifest.ts";
import { shown } from "./shapes.ts";

export type UserValues = ReadonlyMap<string, string | readonly string[]>;

export interface UserConfigOptions {
  readonly manifest: Manifest;
  readonly given: Readonly<Record<string, unknown>>;
  readonly provider: string;
  /** Expands `${HOME}` and its like; used for defaults only. */
  readonly expand: (text: string) => string;
}

export const readUserConfig = (options: UserConfigOptions): UserValues => {
  const values = new Map<string, string | readonly string[]>();
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const [key, field] of Object.entries(options.manifest.user_config ?? {})) {
    const given = Object.hasOwn(options.given, key) ? options.given[key] : undefined;
    const value = given ?? expandDefault(field, options.expand);
    if (value === undefined || value === "") {
      if (field.required === true) missing.push(key);
      continue;
    }
    const text = write(value, field);
    if (text === null) wrong.push(describeWrong(key, value, field));
    else values.set(key, text);
  }
  if (missing.length > 0) throw refuseMissing(missing, options);
  if (wrong.length > 0) {
    throw new Refusal("install_refused", {
      message: `${options.provider} has values it cannot use: ${wrong.join("; ")}.`,
      next: `Correct "userConfig" of the entry "${options.provider}".`,
      details: { fields: wrong },
    });
  }
  return values;
};

/** What keeps values from being stored, one line each. A null, which takes one out, is never wrong. */
export const findValueFaults = (
  values: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, UserConfigField>>,
): readonly string[] =>
  Object.entries(values).flatMap(([key, value]) => {
    if (value === null) return [];
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) return write(value, field) === null ? [describeWrong(key, value, field)] : [];
    const guess = nearest(key, Object.keys(fields), 2);
    const hint = guess === null ? "" : `; did you mean "${guess}"?`;
    return [`it has no setting "${key.slice(0, 64)}"${hint}`];
  });

const describeWrong = (key: string, value: unknown, field: UserConfigField): string =>
  `${key} must be ${describe(field)} (found ${field.sensitive ? "something else" : shown(value)})`;

const expandDefault = (field: UserConfigField, expand: (text: string) => string): unknown => {
  const value = field.default;
  if (typeof value === "string") return expand(value);
  return Array.isArray(value) ? value.map((each) => expand(String(each))) : value;
};

const describe = (field: UserConfigField): string => {
  const range = [
    field.min === undefined ? null : `at least ${field.min}`,
    field.max === undefined ? null : `at most ${field.max}`,
  ].filter((each) => each !== null);
  const base = field.type === "boolean" ? "true or false" : field.type === "number" ? "a number" : "a string";
  const kind = field.multiple === true ? `${base} or an array of strings` : base;
  return range.length === 0 || field.type !== "number" ? kind : `${kind}, ${range.join(" and ")}`;
};

/** The value as text, or null when it is of another type. Strings stand for numbers too: `${env:…}` gives nothing else. */
const write = (value: unknown, field: UserConfigField): string | readonly string[] | null => {
  if (Array.isArray(value)) {
    return field.multiple === true && value.every((each) => typeof each === "string") ? value : null;
  }
  if (field.type === "boolean")
    return value === true || value === false || value === "true" || value === "false" ? String(value) : null;
  if (field.type === "number") {
    const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof amount !== "number" || !Number.isFinite(amount)) return null;
    return amount < (field.min ?? -Infinity) || amount > (field.max ?? Infinity) ? null : String(value);
  }
  return typeof value === "string" ? value : null;
};

const refuseMissing = (missing: readonly string[], options: UserConfigOptions): Refusal => {
  const values = missing.map((key) => `${key}=<value>`);
  return new Refusal("credentials_required", {
    message: `${options.provider} needs ${missing.join(", ")}, which nobody has set.`,
    next:
      `Store what it needs: bailiwick bundle configure ${options.provider} ${values.join(" ")} ` +
      `(for a new one: bailiwick bundle add ... ${values.map((value) => `--set ${value}`).join(" ")}).`,
    details: { fields: missing },
  });
};
