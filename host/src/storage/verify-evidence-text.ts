/**
 * The canonical text (chp-stable-v1) of an event, member by member, which is what its hashes are made of. The long way parses
 * the event and writes it anew. A line that a host like this one wrote is its own canonical text: then one regular expression
 * says where its members stand. It may not know a canonical text, but never takes another one for canonical.
 */
import { findJsonDefect } from "../kernel/scan-json.ts";
import { stable } from "../kernel/stable.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The canonical texts of an event: of what is hashed, and of single members; undefined: it has no such member. */
export interface EventTexts {
  /** What the content hash is of: ten members, one of them out of `correlation`. */
  readonly content: string;
  /** What the event id is of: all members but `content_hash`, `event_id`, `payload` and `prev_hash`. */
  readonly cover: string;
  readonly assurance: string | undefined;
  readonly contentHash: string | undefined;
  readonly correlationId: string | undefined;
  readonly eventId: string | undefined;
  readonly eventType: string | undefined;
  readonly hashScheme: string | undefined;
  readonly hostId: string | undefined;
  readonly payload: string | undefined;
  readonly payloadCommitment: string | undefined;
  readonly prevHash: string | undefined;
  readonly sequence: string | undefined;
}

const MAX_DEPTH = 200;
const MAX_LINE = 1 << 16;
const HASHED = [
  "capability_id",
  "correlation_id",
  "event_id",
  "event_type",
  "host_id",
  "invocation_id",
  "outcome",
  "payload_commitment",
  "prev_hash",
  "timestamp",
];
/** The first version of the scheme, which has no name, hashes the payload itself. */
const HASHED_V1 = HASHED.map((key) => (key === "payload_commitment" ? "payload" : key));
const UNCOVERED: ReadonlySet<string> = new Set(["content_hash", "event_id", "payload", "prev_hash"]);
/** A string without escapes, the same or null, and an object in which there may be others, but no third one inside these. */
const STRING = '"[ !#-[\\]-~]*"';
const TEXT = `(?:${STRING}|null)`;
const OBJECT = "(?:null|\\{[^{}]*(?:\\{[^{}]*\\}[^{}]*)*\\})";
/**
 * An event as `compose-event.ts` writes it. Each part is found in one way only, so a line that is not of this form costs no
 * more than one that is. What is inside of the objects is not looked at here.
 */
const EVENT = new RegExp(
  `^(\\{(?:"action_digest": ${STRING}, )?` +
    `"assurance": \\{"evidence_policy": ${STRING}, "level": ${STRING}, "notes": \\[${STRING}\\]\\}, ` +
    `("capability_id": ${TEXT}, )"capability_version": ${TEXT}, )` +
    `"content_hash": (${STRING}), ` +
    `("correlation": \\{"baggage": \\{\\}, "causation_id": ${TEXT}, "correlation_id": (${STRING}), ` +
    `"environment": ${TEXT}, "parent_correlation_id": ${TEXT}, "trace_id": ${TEXT}\\}, ` +
    `"denial": (${OBJECT}), "error": (${OBJECT}), )` +
    `("event_id": ("evt_c1_[0-9a-f]*"), )` +
    `(("event_type": (${STRING}), )"hash_scheme": "chp-event-hash-v2", ` +
    `("host_id": (${STRING}), "invocation_id": ${TEXT}, "outcome": ${TEXT}, ))` +
    `"payload": (${OBJECT}), ` +
    `(("payload_commitment": (${STRING}), )"prev_hash": (${TEXT}), )` +
    `("redacted": (?:true|false), "sequence": ([1-9][0-9]{0,14}), "subject": (${OBJECT}), ("timestamp": ${STRING}\\}))$`,
);
/** A member of an object that holds no other one, with its key. */
const MEMBER = new RegExp(`"([ !#-[\\]-~]+)": (?:${STRING}|null|true|false|0|-?[1-9][0-9]{0,14})(?:, |\\}$)`, "y");

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A foreign value in a sentence for people. */
export const show = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `a ${Array.isArray(value) ? "list" : "group of members"}`
    : stable(value).slice(0, 80);

/** True when the canonical text stands for this very value: no fractions, no large numbers, no lone surrogates. */
export const isCanonical = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isCanonical);
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isCanonical(member));
};

/** What is wrong with a text that `JSON.parse` took; null: nothing that two readers could read differently. */
export const textDefect = (text: string): string | null => {
  const defect = findJsonDefect(text, { maxDepth: MAX_DEPTH, numbers: false });
  if (defect === null) return null;
  return defect.kind === "repeated" ? `repeats the member ${defect.pointer}` : "is nested too deeply";
};

/** Of a value that `JSON.parse` made; null: it has no canonical text. */
export const writeEvent = (event: Json): EventTexts | null => {
  const keys = Object.keys(event).toSorted();
  if (!keys.every((key) => /^[!#-[\]-~]+$/.test(key)) || !isCanonical(event)) return null;
  const texts = new Map(keys.map((key) => [key, stable(event[key])]));
  const text = (key: string): string | undefined => texts.get(key);
  const correlation = isObject(event["correlation"]) ? event["correlation"] : {};
  const correlationId = "correlation_id" in correlation ? stable(correlation["correlation_id"]) : undefined;
  const join = (members: readonly string[]): string =>
    `{${members.map((key) => `"${key}": ${(key === "correlation_id" ? correlationId : text(key)) ?? "null"}`).join(", ")}}`;
  return {
    content: join(text("hash_scheme") === undefined ? HASHED_V1 : HASHED),
    cover: join(keys.filter((key) => !UNCOVERED.has(key))),
    assurance: text("assurance"),
    contentHash: text("content_hash"),
    correlationId,
    eventId: text("event_id"),
    eventType: text("event_type"),
    hashScheme: text("hash_scheme"),
    hostId: text("host_id"),
    payload: text("payload"),
    payloadCommitment: text("payload_commitment"),
    prevHash: text("prev_hash"),
    sequence: text("sequence"),
  };
};

/** Whether the text of an object, or `null`, is its own canonical form. */
export const isCanonicalText = (text: string): boolean => {
  if (!text.startsWith("{")) return text === "null";
  let last = "";
  MEMBER.lastIndex = 1;
  for (let found = MEMBER.exec(text); found !== null; found = MEMBER.exec(text)) {
    const [, key = ""] = found;
    // Without escapes the order of the texts is the order of the keys; equal ones stand there twice.
    if (key <= last) return false;
    if (MEMBER.lastIndex === text.length) return true;
    last = key;
  }
  try {
    return stable(JSON.parse(text)) === text;
  } catch {
    return false;
  }
};

/** Reads one line after the other. */
export class EventReader {
  /** Of the last event; that of the next one is often the same. */
  #subject = "null";

  /** Null: it is not known to be an event in its canonical form. */
  read(line: string): EventTexts | null {
    const found = line.length > MAX_LINE ? null : EVENT.exec(line);
    if (found === null) return null;
    const [
      ,
      head,
      capability,
      contentHash,
      middle,
      correlationId,
      denial = "",
      error = "",
      id,
      eventId,
      kind,
      type,
      eventType,
      call,
      hostId,
      payload = "",
      chained,
      committed,
      payloadCommitment,
      prevHash,
      tail,
      sequence,
      subject = "",
      time,
    ] = found;
    if (!isCanonicalText(payload) || !isCanonicalText(denial) || !isCanonicalText(error)) return null;
    if (subject !== this.#subject && !isCanonicalText(subject)) return null;
    this.#subject = subject;
    return {
      content: `{${capability}"correlation_id": ${correlationId}, ${id}${type}${call}${chained}${time}`,
      cover: `${head}${middle}${kind}${committed}${tail}`,
      // Asked for only where the id is no cover.
      assurance: undefined,
      contentHash,
      correlationId,
      eventId,
      eventType,
      hashScheme: '"chp-event-hash-v2"',
      hostId,
      payload,
      payloadCommitment,
      prevHash,
      sequence,
    };
  }
}
