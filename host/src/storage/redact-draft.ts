/**
 * Takes secrets out of a draft before it is hashed: payload, subject, error and denial, by the name and by the look of a
 * value, and the name of the capability, which a caller may have made up. What nothing about a text suggests is not even parsed.
 */
import { capabilityId } from "../kernel/capability-id.ts";
import { readOnce } from "../kernel/once-text.ts";
import { stable } from "../kernel/stable.ts";
import { FIELD, MARKS, type DraftFields } from "./draft-fields.ts";
import { isSecretKey } from "./redact-keys.ts";
import { maySeemSecret, REDACTED, textRedactor, type RedactText } from "./redact-text.ts";

const PLACES = [FIELD.payload, FIELD.subject, FIELD.error, FIELD.denial] as const;
/** What is nested deeper goes as a whole. */
const MAX_DEPTH = 200;
const MAX_KNOWN_CLEAN = 1024;
const MAX_KNOWN_CHARS = 1024;

/** True when something was taken out; the fields are changed in place. */
export type RedactDraft = (fields: DraftFields, at: number) => boolean;

/** A quoted name is followed by `": `, and no string can hold a bare quote; a name with escapes is judged as it is written. */
const hasSecretKey = (canonical: string): boolean => {
  for (let end = canonical.indexOf('": '); end !== -1; end = canonical.indexOf('": ', end + 3)) {
    if (isSecretKey(canonical.slice(canonical.lastIndexOf('"', end - 1) + 1, end))) return true;
  }
  return false;
};

/** Members of a payload that the host fills with hex of its own, which may look like a card number by chance. */
const OWN_HEX = new Set(["surface", "policy_version", "key_id", "old_key_id", "new_key_id", "revoked_key_id"]);
const HEX = /^[0-9a-f]{8,64}$/;
const isOwnHex = (key: string, value: unknown): boolean =>
  key === "once" ? readOnce(value) !== null : OWN_HEX.has(key) && typeof value === "string" && HEX.test(value);

/** Without the escapes of `capabilityId`, which would hide where a word begins. */
const plainName = (name: string): string =>
  name.replace(/(?::[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll(":", ""), "hex").toString("utf8"));

const isLeaf = (value: unknown): boolean => value === null || typeof value === "boolean";

const walkerOf = (redactText: RedactText) => {
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return redactText(value);
    if (typeof value === "number") return redactText(String(value)) === String(value) ? value : REDACTED;
    if (typeof value !== "object" || value === null) return value;
    if (depth === MAX_DEPTH) return REDACTED;
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1));
    const out: [string, unknown][] = Object.entries(value).map(([key, member]) => [
      redactText(key),
      isSecretKey(key) && !isLeaf(member)
        ? REDACTED
        : depth === 0 && isOwnHex(key, member)
          ? member
          : walk(member, depth + 1),
    ]);
    return Object.fromEntries(out);
  };
  return walk;
};

export const draftRedactor = (patterns: readonly string[]): RedactDraft => {
  const redactText = textRedactor(patterns);
  const walk = walkerOf(redactText);
  /** Subjects and names come again with every call. */
  const clean = new Set<string>();

  const mayHoldSecret = (text: string): boolean => patterns.length > 0 || maySeemSecret(text) || hasSecretKey(text);
  const remember = (text: string): void => {
    if (text.length > MAX_KNOWN_CHARS) return;
    if (clean.size >= MAX_KNOWN_CLEAN) clean.clear();
    clean.add(text);
  };
  const redactField = (text: string): string => (mayHoldSecret(text) ? stable(walk(JSON.parse(text), 0)) : text);

  /** True when something was taken out of it. */
  const redactName = (fields: DraftFields, at: number): boolean => {
    const name = fields[at + FIELD.capabilityId] ?? "";
    if (clean.has(name)) return false;
    const plain = plainName(name);
    // Provider and tool each for itself: no secret begins in the middle of a word.
    const without = mayHoldSecret(`"${plain}"`) ? plain.split("__").map(redactText).join("__") : plain;
    if (without === plain) {
      remember(name);
      return false;
    }
    const after = capabilityId(without);
    fields[at + FIELD.capabilityId] = after;
    // It is part of others, where nothing shows where it begins.
    for (const place of PLACES) fields[at + place] = fields[at + place]?.replaceAll(name, after) ?? null;
    return true;
  };

  return (fields, at) => {
    let redacted = redactName(fields, at);
    const marks = fields[at + FIELD.marks];
    const isOwn = patterns.length === 0 && (marks === MARKS.own || marks === MARKS.both);
    for (const place of PLACES) {
      if (isOwn && place === FIELD.payload) continue;
      const text = fields[at + place];
      if (text === null || text === undefined || text === "null") continue;
      if (place === FIELD.subject && clean.has(text)) continue;
      const after = redactField(text);
      if (after === text) {
        if (place === FIELD.subject) remember(text);
        continue;
      }
      fields[at + place] = after;
      redacted = true;
    }
    return redacted;
  };
};
