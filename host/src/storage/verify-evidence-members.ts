/**
 * What the checks look at of an event, read from its canonical members; of the rest only the text counts, in the hashes.
 */
import { COVER_PREFIX } from "./verify-evidence-events.ts";
import type { Json } from "./verify-evidence-key.ts";

const QUOTE = 34;
/** `"key": ` around the key. */
const AROUND_KEY = 4;

/** A part of the text where it is plain, which is cheap but keeps the whole text in memory. */
const read = (members: ReadonlyMap<string, string>, key: string): unknown => {
  const member = members.get(key);
  if (member === undefined) return undefined;
  const at = key.length + AROUND_KEY;
  return member.charCodeAt(at) === QUOTE && !member.includes("\\") ? member.slice(at + 1, -1) : parse(key, member);
};

const parse = (key: string, member: string | undefined): unknown =>
  member === undefined ? undefined : JSON.parse(member.slice(key.length + AROUND_KEY));

/** A payload says something by itself only when it is withheld, or tells of what was purged. */
const isTelling = (member: string | undefined, type: unknown): boolean =>
  member?.startsWith('"payload": {"chp_') === true || type === "evidence_purged";

export const eventOfMembers = (members: ReadonlyMap<string, string>): Json => {
  const id = read(members, "event_id");
  const type = read(members, "event_type");
  const payload = members.get("payload");
  const isCovered = typeof id === "string" && id.startsWith(COVER_PREFIX);
  return {
    event_id: id,
    event_type: type,
    hash_scheme: read(members, "hash_scheme"),
    host_id: read(members, "host_id"),
    prev_hash: read(members, "prev_hash"),
    payload_commitment: read(members, "payload_commitment"),
    sequence: read(members, "sequence"),
    // Kept as long as the verification takes, so no part of a text.
    content_hash: parse("content_hash", members.get("content_hash")),
    correlation: parse("correlation", members.get("correlation")),
    assurance: isCovered ? undefined : parse("assurance", members.get("assurance")),
    payload: isTelling(payload, type) ? parse("payload", payload) : undefined,
  };
};
