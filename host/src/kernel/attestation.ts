/**
 * A host's own signed word that a key is its key, for a time: `{host_id, public_key, key_id, valid_from, valid_until[,
 * anchors]}` and the signature over them. It binds a name to a key; whether that key is the expected one is another question.
 */
import { isSignedBy, keyIdOf } from "./signing.ts";
import { stable } from "./stable.ts";

export interface Attested {
  readonly hostId: unknown;
  readonly publicKey: unknown;
  /** At which time it must hold. */
  readonly at: unknown;
}

const MEMBERS: ReadonlySet<string> = new Set([
  "host_id",
  "public_key",
  "key_id",
  "valid_from",
  "valid_until",
  "anchors",
  "signature",
]);

/** An instant in milliseconds; NaN for what is none. */
export const instantOf = (text: unknown): number =>
  typeof text === "string" && text.length <= 40 ? Date.parse(text) : Number.NaN;

/** What is wrong with it, in a few words; null: it holds. Whatever it is given, it answers. */
export const findAttestationDefect = (identity: unknown, { hostId, publicKey, at }: Attested): string | null => {
  if (typeof identity !== "object" || identity === null || Array.isArray(identity)) return "it is no object";
  const { signature, ...signed } = identity as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(signed)) if (!MEMBERS.has(key)) return "it has a member that nothing covers";
  if (typeof hostId !== "string" || signed["host_id"] !== hostId) return "it names another host";
  if (signed["public_key"] !== publicKey) return "it is for another key";
  const keyId = keyIdOf(publicKey);
  if (keyId === null || signed["key_id"] !== keyId) return "its key_id is not of its key";
  if (!isSignedBy(publicKey, stable(signed), signature)) return "its signature does not verify";
  return isWithin(signed, instantOf(at)) ? null : "it is not valid at that time";
};

const isWithin = (signed: Readonly<Record<string, unknown>>, at: number): boolean => {
  const until = signed["valid_until"];
  return instantOf(signed["valid_from"]) <= at && (until === null || at < instantOf(until));
};
