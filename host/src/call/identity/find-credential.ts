/** The credential behind what a door was shown. Keys and tokens of CHP open the CHP door only, keys of the host every door. */
import type { Door, Presented } from "../../kernel/principal.ts";
import { createChpKeys } from "./chp-keys.ts";
import { createChpTokens } from "./chp-tokens.ts";
import type { Credential } from "./credential.ts";
import type { ChpKey } from "./parse-chp-key.ts";
import type { PrincipalBook } from "./principal-book.ts";

export interface CredentialOptions {
  /** The live key or admitted token behind a secret, in constant time of its own; null for unknown and revoked ones. */
  readonly findKey: (secret: string) => Credential | null;
  /** Of `auth.chpKeys`. */
  readonly chpKeys?: readonly ChpKey[];
  /** `auth.tokens`: public keys by the name that they are pinned to. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Whom an auth-token must be for; absent: none is accepted. */
  readonly hostId?: string;
  readonly now?: () => number;
}

export interface FindCredential {
  (presented: Presented, door: Door): Credential | null;
  /** Those of CHP; the host's own are in its key store. */
  readonly held: readonly Credential[];
}

export const createFindCredential = (options: CredentialOptions, book: PrincipalBook): FindCredential => {
  const { findKey, chpKeys = [], tokens = {}, hostId, now = Date.now } = options;
  const ofKeys = createChpKeys(chpKeys, book);
  const ofTokens = createChpTokens({ tokens: hostId === undefined ? {} : tokens, hostId: hostId ?? "", book, now });
  const find = (presented: Presented, door: Door): Credential | null => {
    switch (presented.kind) {
      case "bearer":
        return findKey(presented.token) ?? (door === "chp" ? ofTokens.find(presented.token) : null);
      case "chp-key":
        return ofKeys.find(presented.text) ?? findKey(presented.text);
      case "chp-token":
        return ofTokens.find(presented.token);
      default:
        return null;
    }
  };
  return Object.assign(find, { held: [...ofKeys.held, ...ofTokens.held] });
};
