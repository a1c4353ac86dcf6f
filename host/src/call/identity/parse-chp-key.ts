/** One line of `auth.chpKeys`: `name:key`, or `name:key:scope|scope`. */
export interface ChpKey {
  readonly name: string;
  readonly key: string;
  /** Null: it may name everything. */
  readonly scopes: readonly string[] | null;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/;
const KEY = /^[\x21-\x39\x3b-\x7e]{1,256}$/;
const SCOPE = /^[\x21-\x7b\x7d\x7e]{1,256}$/;

/** A reference that nobody resolved is no key: everybody could guess it. */
const isReference = (text: string): boolean => text.includes("${env:");

/** Takes the parts of a line. Null for what is none; an empty scope is a fault and not the absence of one. */
export const parseChpKey = ([name = "", key = "", ...rest]: readonly string[]): ChpKey | null => {
  if (!NAME.test(name) || !KEY.test(key) || [key, ...rest].some(isReference)) return null;
  if (rest.length === 0) return { name, key, scopes: null };
  const scopes = rest.join(":").split("|");
  return scopes.every((scope) => SCOPE.test(scope)) ? { name, key, scopes } : null;
};
