/**
 * Placeholders `{{ name }}`: blanks, a name whose dots look into objects, blanks. Whatever else stands between braces is
 * text. Values are put in as they are; only the text around them is the template's.
 */
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

export const textOfValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export interface Filling {
  /** Null: there is no value of this name. */
  readonly look: (name: string) => unknown;
  /** Of a name without a value; `whole` is the placeholder as it stands there. */
  readonly missing: (name: string, whole: string) => string;
  /** What becomes of the text around placeholders; absent: nothing. */
  readonly around?: (text: string) => string;
}

/** In order, to be joined: each value is written once, however often it is used. */
export const fillPlaceholders = (template: string, { look, missing, around = same }: Filling): string[] => {
  const pieces: string[] = [];
  const written = new Map<string, string | null>();
  const write = (name: string): string | null => {
    const known = written.get(name);
    if (known !== undefined) return known;
    const value = look(name);
    const text = value === null ? null : textOfValue(value);
    written.set(name, text);
    return text;
  };
  let from = 0;
  for (const found of template.matchAll(PLACEHOLDER)) {
    const [whole, name = ""] = found;
    pieces.push(around(template.slice(from, found.index)), write(name) ?? missing(name, whole));
    from = found.index + whole.length;
  }
  pieces.push(around(template.slice(from)));
  return pieces;
};

const same = (text: string): string => text;

export const keepPlaceholder: Filling["missing"] = (_name, whole) => whole;
