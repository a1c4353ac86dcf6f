/**
 * The keys of `auth.chpKeys`, by the hash of their secret alone; several may have one name, so that one can be exchanged for
 * the next. A caller shows the key, or the name and the key.
 */
import { hash } from "node:crypto";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import type { Credential } from "./credential.ts";
import type { ChpKey } from "./parse-chp-key.ts";
import type { PrincipalBook } from "./principal-book.ts";

export interface ChpKeys {
  /** The live key behind what was shown; null: there is none. */
  readonly find: (text: string) => Credential | null;
  readonly held: readonly Credential[];
}

const MAX_TEXT = 512;

export const createChpKeys = (keys: readonly ChpKey[], book: PrincipalBook): ChpKeys => {
  const byHash = new Map<string, Credential & { readonly subject: { readonly id: string } }>();
  for (const { name, key, scopes } of keys) {
    const as = book.idOf(name);
    if (as === null) continue;
    byHash.set(hash("sha256", key), {
      name: `chp:${name}`,
      as,
      for: null,
      scopes,
      permissions: [],
      workspace: DEFAULT_WORKSPACE,
      subject: { id: name, type: "api_key" },
    });
  }
  const find = (text: string): Credential | null => {
    if (byHash.size === 0 || text.length > MAX_TEXT) return null;
    const colon = text.indexOf(":");
    if (colon < 0) return byHash.get(hash("sha256", text)) ?? null;
    const found = byHash.get(hash("sha256", text.slice(colon + 1)));
    return found?.subject.id === text.slice(0, colon) ? found : null;
  };
  return { find, held: [...byHash.values()] };
};
