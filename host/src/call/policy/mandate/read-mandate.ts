/**
 * Reads a mandate and those that it comes from, leaf first. Strict: a member that nothing signs, a text without a canonical
 * form or a chain without an end is no mandate at all.
 */
import { instantOf } from "../../../kernel/attestation.ts";

type Json = Readonly<Record<string, unknown>>;

export interface MandateLink {
  readonly id: string;
  readonly delegateId: string;
  readonly scope: readonly string[];
  /** Ms since the epoch. */
  readonly validFrom: number;
  readonly validUntil: number;
  /** 0: the root. */
  readonly depth: number;
  /** Null: the root. */
  readonly parentId: string | null;
  /** Null: no cap of its own. */
  readonly maxInvocations: number | null;
  readonly principal: { readonly hostId: string; readonly publicKey: string; readonly identity: unknown };
  /** Exactly what is signed. */
  readonly signed: Json;
  readonly signature: { readonly keyId: unknown; readonly signature: unknown };
}

/** The chain is that much longer than one. */
const MAX_DEPTH = 8;
const MAX_TEXT = 512;
const MAX_SCOPE = 256;

const SIGNED = [
  "kind",
  "mandate_id",
  "delegate_id",
  "scope",
  "valid_from",
  "valid_until",
  "created_at",
  "canonicalization",
] as const;
const MEMBERS: ReadonlySet<string> = new Set([
  ...SIGNED,
  "depth",
  "parent_id",
  "parent",
  "max_invocations",
  "principal",
  "signature",
]);
const PRINCIPAL_MEMBERS: ReadonlySet<string> = new Set(["host_id", "public_key", "host_identity", "key_history"]);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A lone surrogate would let two ids share one signature, and so be counted and revoked as two. */
const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_TEXT && value.isWellFormed();

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;

const hasOnly = (value: Json, members: ReadonlySet<string>): boolean =>
  Object.keys(value).every((name) => members.has(name));

const isScope = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_SCOPE && value.every(isText);

/** Null for what is none. */
export const readMandate = (value: unknown): readonly MandateLink[] | null => {
  const links: MandateLink[] = [];
  for (let next: unknown = value; next !== undefined; next = (next as Json)["parent"]) {
    const link = links.length > MAX_DEPTH ? null : readLink(next);
    if (link === null) return null;
    links.push(link);
  }
  return links;
};

const readLink = (value: unknown): MandateLink | null => {
  if (!isObject(value) || !hasOnly(value, MEMBERS)) return null;
  const { scope, depth, parent_id: parentId, parent, max_invocations: cap, signature } = value;
  const principal = readPrincipal(value["principal"]);
  const texts = SIGNED.every((name) => name === "scope" || isText(value[name]));
  if (!texts || !isScope(scope) || principal === null || !isObject(signature)) return null;
  if (value["kind"] !== "mandate" || value["canonicalization"] !== "chp-stable-v1") return null;
  if (signature["algorithm"] !== "ed25519" || (cap !== undefined && !isCount(cap))) return null;
  const isRoot = parent === undefined && parentId === undefined && depth === undefined;
  if (!isRoot && !(parent !== undefined && isText(parentId) && isCount(depth))) return null;
  const {
    mandate_id: id,
    delegate_id: delegateId,
    valid_from: from,
    valid_until: until,
  } = value as Record<string, string>;
  return {
    id: id!,
    delegateId: delegateId!,
    scope,
    validFrom: instantOf(from),
    validUntil: instantOf(until),
    depth: isRoot ? 0 : (depth as number),
    parentId: isRoot ? null : (parentId as string),
    maxInvocations: cap ?? null,
    principal,
    signed: signedMembers(value, isRoot),
    signature: { keyId: signature["key_id"], signature: signature["signature"] },
  };
};

const readPrincipal = (value: unknown): MandateLink["principal"] | null => {
  if (!isObject(value) || !hasOnly(value, PRINCIPAL_MEMBERS)) return null;
  const { host_id: hostId, public_key: publicKey, host_identity: identity } = value;
  return isText(hostId) && isText(publicKey) ? { hostId, publicKey, identity } : null;
};

const signedMembers = (value: Json, isRoot: boolean): Json => {
  const signed: Record<string, unknown> = {};
  for (const name of SIGNED) signed[name] = value[name];
  if (!isRoot) {
    signed["depth"] = value["depth"];
    signed["parent_id"] = value["parent_id"];
  }
  if (value["max_invocations"] !== undefined) signed["max_invocations"] = value["max_invocations"];
  return signed;
};
