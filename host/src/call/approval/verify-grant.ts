/**
 * Checks a grant that somebody brought, in two steps: that it is one and whose (form, key, signature, time), and that it is
 * for this very call of this very host. Believing the key is a third question and not asked here.
 */
import { isSignedBy, keyIdOf } from "../../kernel/signing.ts";
import { signedText, type Grant } from "./sign-grant.ts";

const MAX_TEXT = 1_024;
const REQUIRED = [
  "approval_id",
  "invocation_id",
  "approver",
  "valid_until",
  "payload_commitment",
  "canonicalization",
] as const;
const OPTIONAL = ["invocation_digest", "action_digest", "binding_id", "audience"] as const;
const KNOWN: ReadonlySet<string> = new Set([
  "kind",
  "decision",
  "max_attempts",
  "approver_identity",
  "signature",
  ...REQUIRED,
  ...OPTIONAL,
]);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

export type CheckedGrant = { readonly publicKey: string; readonly grant: Grant } | { readonly fault: string };

const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_TEXT;

const isObject = (value: unknown): value is Grant =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const formFault = (grant: Grant): string | null => {
  if (grant["kind"] !== "approval-grant") return "kind is not approval-grant";
  if (grant["decision"] !== "granted") return "decision is not granted";
  if (!Object.keys(grant).every((name) => KNOWN.has(name))) return "it has members that a grant does not have";
  const odd = REQUIRED.find((name) => !isText(grant[name]));
  if (odd !== undefined) return `${odd} is missing`;
  const wrong = OPTIONAL.find((name) => Object.hasOwn(grant, name) && !isText(grant[name]));
  if (wrong !== undefined) return `${wrong} is not a text`;
  if (grant["canonicalization"] !== "chp-stable-v1") return "canonicalization is not chp-stable-v1";
  if (Object.hasOwn(grant, "max_attempts") && grant["max_attempts"] !== 1) return "max_attempts is not 1";
  return null;
};

/** `now` in ms. */
export const checkGrant = (given: unknown, now: number): CheckedGrant => {
  if (!isObject(given)) return { fault: "it is no object" };
  const { approver_identity: identity, signature } = given;
  const fault = formFault(given);
  if (fault !== null) return { fault };
  if (!isObject(identity) || !isObject(signature)) return { fault: "approver_identity or signature is missing" };
  const publicKey = identity["public_key"];
  const keyId = keyIdOf(publicKey);
  if (!isText(publicKey) || keyId === null) return { fault: "public_key is no ed25519 key" };
  if (signature["algorithm"] !== "ed25519") return { fault: "the signature is not of ed25519" };
  if (signature["key_id"] !== keyId || given["approver"] !== keyId) return { fault: "key_id is not that of the key" };
  if (!isSignedBy(publicKey, signedText(given), signature["signature"])) return { fault: "the signature is wrong" };
  const until = String(given["valid_until"]);
  if (!INSTANT.test(until) || !(now < Date.parse(until))) return { fault: "it has expired" };
  return { publicKey, grant: given };
};

/** What the call is that a grant has to be for. */
export interface GrantedCall {
  readonly audience: string;
  readonly invocation_id: string;
  readonly payload_commitment: string;
  readonly action_digest: string;
  readonly binding_id: string;
  readonly invocation_digest: string;
}

/** A grant without these would do for other hosts, callers and tools. */
const BINDING = ["audience", "action_digest", "invocation_id", "payload_commitment"] as const;
const IF_PRESENT = ["invocation_digest", "binding_id"] as const;

/** The first member that is about something else; null: it is for this call. */
export const grantMismatch = (grant: Grant, call: GrantedCall): string | null =>
  BINDING.find((name) => grant[name] !== call[name]) ??
  IF_PRESENT.find((name) => Object.hasOwn(grant, name) && grant[name] !== call[name]) ??
  null;
