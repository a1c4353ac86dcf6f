/**
 * Auth-tokens of the callers that `auth.tokens` pins to a public key. One that verified is remembered by its hash until it
 * ends, so that it costs one signature and not one a call.
 */
import { hash } from "node:crypto";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import type { Credential } from "./credential.ts";
import { parsePrincipal } from "./parse-principal.ts";
import type { PrincipalBook } from "./principal-book.ts";
import { verifyAuthToken } from "./verify-auth-token.ts";

export interface ChpTokensOptions {
  /** Public keys by `sub`. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly hostId: string;
  readonly book: PrincipalBook;
  readonly now: () => number;
}

export interface ChpTokens {
  /** The credential behind a token, as JSON or as base64 of it; null: it is not accepted. */
  readonly find: (text: string) => Credential | null;
  /** What tokens stand for. */
  readonly held: readonly Credential[];
}

const MAX_TEXT = 16_384;
const MAX_REMEMBERED = 1_000;

interface Remembered {
  readonly credential: Credential;
  readonly endsAt: number;
}

export const createChpTokens = ({ tokens, hostId, book, now }: ChpTokensOptions): ChpTokens => {
  const holders = new Map<string, { key: string; credential: Credential }>();
  for (const [sub, key] of Object.entries(tokens)) {
    const named = parsePrincipal(sub);
    const as = named?.id ?? book.idOf(sub);
    if (as === null) continue;
    const subject = named ? {} : { subject: { id: sub, type: "auth_token" } };
    const more = { for: null, scopes: null, permissions: [], workspace: DEFAULT_WORKSPACE };
    holders.set(sub, { key, credential: { name: `chp-token:${sub}`, as, ...more, ...subject } });
  }
  const known = new Map<string, Remembered>();
  const remember = (id: string, entry: Remembered): void => {
    known.set(id, entry);
    if (known.size <= MAX_REMEMBERED) return;
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  };

  const find = (text: string): Credential | null => {
    if (holders.size === 0 || text.length > MAX_TEXT) return null;
    const id = hash("sha256", text);
    const entry = known.get(id);
    if (entry !== undefined) {
      if (now() < entry.endsAt) return entry.credential;
      known.delete(id);
      return null;
    }
    const keyOf = (sub: string): string | null => holders.get(sub)?.key ?? null;
    const verdict = verifyAuthToken(readToken(text), { now: now(), audience: hostId, keyOf });
    const holder = verdict.valid ? holders.get(verdict.sub) : undefined;
    if (holder === undefined) return null;
    remember(id, { credential: holder.credential, endsAt: verdict.exp });
    return holder.credential;
  };
  return { find, held: [...holders.values()].map(({ credential }) => credential) };
};

const readToken = (text: string): unknown => {
  const trimmed = text.trim();
  const json = trimmed.startsWith("{") ? trimmed : Buffer.from(trimmed, "base64").toString("utf8");
  if (!json.startsWith("{")) return null;
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
};
