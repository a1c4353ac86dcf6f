/**
 * Placeholders `{{ name }}`: blanks, a name whose dots look into objects, blanks. Whatever else stands between braces is
 * text. Values are put in as they are; only the text around them is the template's.
 */
import type { TextTotal } from "./text-total.ts";

const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_.]*)[ \t]*\}\}/g;

/** Own members only, and no element of a list: null where there is nothing. */
export const lookInto = (values: Readonly<Record<string, unknown>>, name: string): unknown => {
  let at: unknown = values;
  for (const step of name.split(".")) {
    if (typeof at !== "object" || at === null || Array.isArray(at) || !Object.hasOwn(at, step)) return null;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at ?? null;
};

/** Each as it stands there, with its name. */
export const placeholdersIn = function* (template: string): Generator<Placeholder, undefined> {
  for (const { 0: whole, 1: name = "", index } of template.matchAll(PLACEHOLDER)) yield { whole, name, index };
};

interface Placeholder {
  readonly whole: string;
  readonly name: string;
  readonly index: number;
}

export interface Filling {
  /** Null: there is no value of this name. */
  readonly look: (name: string) => unknown;
  /** Of a name without a value; `whole` is the placeholder as it stands there. */
  readonly missing: (name: string, whole: string) => string;
  /** What becomes of the text around placeholders; absent: nothing. */
  readonly around?: (text: string) => string;
  /** Everything is counted in it, and nothing is written that is too much for it. */
  readonly total: TextTotal;
}

/** Each value is written once, however often it is used. Throws `content_too_large`. */
export const fillPlaceholders = (template: string, { look, missing, around = same, total }: Filling): string => {
  const pieces: string[] = [];
  const written = new Map<string, string>();
  let from = 0;
  for (const { whole, name, index } of placeholdersIn(template)) {
    pieces.push(total.add(around(template.slice(from, index))));
    const known = written.get(name);
    const value = known ?? look(name);
    const text = value === null ? total.add(missing(name, whole)) : total.addValue(value);
    if (value !== null) written.set(name, text);
    pieces.push(text);
    from = index + whole.length;
  }
  pieces.push(total.add(around(template.slice(from))));
  return pieces.join("");
};

const same = (text: string): string => text;

export const keepPlaceholder: Filling["missing"] = (_name, whole) => whole;
