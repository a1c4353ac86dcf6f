/**
 * A CHP auth-token: a caller's own signed word of who it is, to one host and for a short time. Pure; each check is named, so
 * that a test can say which one failed. Whoever shows one hears only that it is not accepted.
 */
import { findAttestationDefect, instantOf } from "../../kernel/attestation.ts";
import { isSignedBy, keyIdOf } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";

export interface TokenContext {
  readonly now: number;
  /** The id of this host. */
  readonly audience: string;
  /** The public key that `sub` is pinned to; null: it is pinned to none. */
  readonly keyOf: (sub: string) => string | null;
}

export interface TokenVerdict {
  readonly valid: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
  readonly sub: string;
  /** Ms since the epoch. */
  readonly exp: number;
}

type Json = Readonly<Record<string, unknown>>;

const MAX_LIFE_MS = 3_600_000;
const SIGNED = ["kind", "sub", "aud", "iat", "exp", "canonicalization"] as const;
const MEMBERS: ReadonlySet<string> = new Set([...SIGNED, "caller", "signature"]);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Lone surrogates have no canonical form: two names would share one signature. */
const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= 512 && value.isWellFormed();

const hasForm = (token: Json): boolean =>
  SIGNED.every((name) => isText(token[name])) &&
  isObject(token["caller"]) &&
  isObject(token["signature"]) &&
  token["kind"] === "auth-token" &&
  token["canonicalization"] === "chp-stable-v1" &&
  token["signature"]["algorithm"] === "ed25519" &&
  Object.keys(token).every((name) => MEMBERS.has(name));

const UNREADABLE: TokenVerdict = { valid: false, checks: { form: false }, sub: "", exp: 0 };

export const verifyAuthToken = (value: unknown, context: TokenContext): TokenVerdict => {
  if (!isObject(value) || !hasForm(value)) return UNREADABLE;
  const { kind, sub, aud, iat, exp, canonicalization } = value as Record<(typeof SIGNED)[number], string>;
  const caller = value["caller"] as Json;
  const signature = value["signature"] as Json;
  const { now } = context;
  const publicKey = caller["public_key"];
  const from = instantOf(iat);
  const until = instantOf(exp);
  const attested = { hostId: sub, publicKey, at: new Date(now).toISOString() };
  const checks = {
    form: true,
    audience: aud === context.audience,
    window: from <= now && now < until,
    lifetime: until - from <= MAX_LIFE_MS,
    pinned: typeof publicKey === "string" && context.keyOf(sub) === publicKey,
    subject: caller["host_id"] === sub,
    attestation:
      caller["host_identity"] === undefined || findAttestationDefect(caller["host_identity"], attested) === null,
    key_id: keyIdOf(publicKey) !== null && signature["key_id"] === keyIdOf(publicKey),
    signature: isSignedBy(publicKey, stable({ kind, sub, aud, iat, exp, canonicalization }), signature["signature"]),
  };
  return { valid: Object.values(checks).every(Boolean), checks, sub, exp: until };
};
