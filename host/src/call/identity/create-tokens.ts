/**
 * Tokens of the issuer in `auth.oidc`. Verifying one takes time, so a door has it admitted first; then it is remembered, by
 * its hash, and `find` answers at once. A door has a token verified again after a minute; what is open longer than that,
 * a stream, asks `find`, which goes by what can change about a verified token: its time and the issuer's keys.
 */
import { hash } from "node:crypto";
import { credentialOfClaims, type ClaimNames } from "./credential-of-claims.ts";
import { fetchKeySet, type Issuer, type PublishedKeys } from "./fetch-key-set.ts";
import type { Credential } from "./credential.ts";
import { IssuerKeys } from "./issuer-keys.ts";
import { KeysUnavailable } from "./keys-unavailable.ts";
import { LEEWAY_S, verifyToken } from "./verify-token.ts";

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const REFRESH_EVERY_MS = 300_000;

export interface TokensOptions {
  readonly oidc: Issuer & ClaimNames;
  /** What `aud` must contain; asked for each token, since the address may be known late. */
  readonly audience: () => string;
  readonly report: (error: unknown) => void;
  readonly now?: () => number;
  readonly maxRemembered?: number;
}

export interface Tokens {
  /** Whether the text has the form of a token: then it is never looked up as a key. */
  isToken(text: string): boolean;
  /** The credential of a token that was admitted, while it holds. */
  find(token: string): Credential | null;
  /** True for a token that `find` does not know, or has known for too long. */
  needsAdmission(text: string): boolean;
  /** Verifies it; null: `find` knows it now, else why it is not accepted. */
  admit(token: string): Promise<string | null>;
  close(): void;
}

interface Remembered {
  readonly credential: Credential;
  readonly at: number;
  readonly endsAt: number;
  /** The keys it was verified with. */
  readonly generation: number;
}

export const createTokens = (options: TokensOptions): Tokens => {
  const { oidc, audience, report, now = Date.now, maxRemembered = MAX_REMEMBERED } = options;
  /** Where it failed is for the host's own log; a caller hears only that it did. */
  const fetchKeys = (): Promise<PublishedKeys> =>
    fetchKeySet(oidc).catch((error: unknown) => {
      report(error instanceof KeysUnavailable ? `auth.oidc: ${error.message}` : error);
      throw error;
    });
  const keys = new IssuerKeys(fetchKeys, now);
  const known = new Map<string, Remembered>();
  let refreshing: NodeJS.Timeout | null = null;

  /** Keys that were withdrawn are noticed though only streams are open. A failure is told to whoever comes next. */
  const keepFresh = (): void => {
    refreshing ??= setInterval(() => void keys.refresh().catch(() => {}), REFRESH_EVERY_MS).unref();
  };

  const remember = (id: string, entry: Remembered): void => {
    known.delete(id);
    known.set(id, entry);
    if (known.size <= maxRemembered) return;
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  };

  const admit = async (token: string): Promise<string | null> => {
    const id = idOf(token);
    const generation = keys.generation;
    const verdict = await verifyToken(token, { issuer: oidc.issuer, audience: audience(), keys, now: now() });
    if (typeof verdict === "string") {
      known.delete(id);
      return verdict;
    }
    // Keys that came in the meantime may no longer have the one that it was verified with.
    if (generation === null || generation !== keys.generation) return admit(token);
    const endsAt = (verdict.exp + LEEWAY_S) * 1000;
    const credential = known.get(id)?.credential ?? credentialOfClaims(verdict, oidc);
    remember(id, { credential, at: now(), endsAt, generation });
    keepFresh();
    return null;
  };

  return {
    isToken,
    find: (token) => {
      const entry = known.get(idOf(token));
      if (entry === undefined) return null;
      return now() < entry.endsAt && entry.generation === keys.generation ? entry.credential : null;
    },
    needsAdmission: (token) => {
      if (!isToken(token)) return false;
      const entry = known.get(idOf(token));
      return entry === undefined || now() - entry.at >= REMEMBERED_MS || entry.generation !== keys.generation;
    },
    admit: async (token) => {
      try {
        return await admit(token);
      } catch (error) {
        report(error);
        return "the host failed at verifying it; its log says how";
      }
    },
    close: () => {
      if (refreshing) clearInterval(refreshing);
      known.clear();
    },
  };
};

/** Three parts, the first of which is an object in base64url: `{"` begins so, no key of this host does. */
const isToken = (text: string): boolean => text.startsWith("ey") && text.includes(".");

const idOf = (token: string): string => hash("sha256", token, "base64");
