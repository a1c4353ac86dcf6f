/**
 * A tool's schema as a model is shown it: its texts open and close no tag that contains untrusted text. Values that a call may
 * have to repeat, and names, stay as they are; what calls are checked against is another copy. Pure.
 */
import { neutraliseTags } from "./neutralise-tags.ts";

type Json = Readonly<Record<string, unknown>>;

const TEXTS: ReadonlySet<string> = new Set(["title", "description", "$comment"]);
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "required"]);
/** Their members are schemas under names of the tool's own. */
const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
/** No model reads what lies deeper. */
const MOST_LEVELS = 100;

export const neutraliseSchema = (schema: Json, levels = MOST_LEVELS): Json =>
  mapMembers(schema, (value, key) => {
    if (typeof value === "string") return TEXTS.has(key) ? neutraliseTags(value) : value;
    if (VALUES.has(key) || levels === 0) return value;
    if (NAMED.has(key) && isObject(value)) return mapMembers(value, (each) => inner(each, levels - 1));
    return inner(value, levels - 1);
  });

const inner = (value: unknown, levels: number): unknown => {
  if (Array.isArray(value))
    return value.map((each: unknown) => (isObject(each) ? neutraliseSchema(each, levels) : each));
  return isObject(value) ? neutraliseSchema(value, levels) : value;
};

/** Also of a member that is called as one of every object is. */
const mapMembers = (object: Json, map: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
