/**
 * The checks that each event stands by itself and in its chain: content hash, chain, commitment of the payload, cover and
 * sequence. Members are written out once and joined for each hash, because that is where the time goes.
 */
import { hash } from "node:crypto";
import { findJsonDefect } from "../kernel/scan-json.ts";
import { stable } from "../kernel/stable.ts";
import type { Findings } from "./verify-evidence-findings.ts";
import { isObject, type Json } from "./verify-evidence-key.ts";
import { readCanonical, type CanonicalText } from "./verify-evidence-text.ts";

/** What part of a log the events are. In a correlation and in a bundle, sequences have gaps. */
export interface EventPart {
  readonly scope: "log" | "correlation" | "range" | "bundle";
  /** The first sequence of a range. */
  readonly from?: unknown;
  readonly correlationId?: unknown;
  readonly hostId?: unknown;
}

export const MAX_DEPTH = 200;
export const COVER_PREFIX = "evt_c1_";
/** What the cover hash leaves out. */
export const UNCOVERED: ReadonlySet<string> = new Set(["event_id", "content_hash", "prev_hash", "payload"]);

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
export const textDefect = (text: string, maxDepth: number): string | null => {
  const defect = findJsonDefect(text, { maxDepth, numbers: false });
  if (defect === null) return null;
  return defect.kind === "repeated" ? `repeats the member ${defect.pointer}` : "is nested too deeply";
};

const isWithheld = (payload: unknown): boolean => {
  if (!isObject(payload) || Object.keys(payload).length !== 1) return false;
  return payload["chp_withheld"] === true || isObject(payload["chp_sealed"]);
};

const claimsCover = (event: Json): boolean => {
  const notes = isObject(event["assurance"]) ? event["assurance"]["notes"] : null;
  return Array.isArray(notes) && notes.includes("bailiwick-cover-v1");
};

const sequenceOf = ({ sequence }: Json): number | null => (typeof sequence === "number" ? sequence : null);

export class EventChecks {
  count = 0;
  withheld = 0;
  lastSequence: number | null = null;
  lastHash: unknown = null;
  hostId: unknown;
  readonly #findings: Findings;
  readonly #part: EventPart;
  readonly #heads = new Map<string, unknown>();

  constructor(findings: Findings, part: EventPart) {
    this.#findings = findings;
    this.#part = part;
    this.hostId = part.hostId;
  }

  /** The correlation id, or null when it is no event. `line`: its own text, if it has one that was not looked at before. */
  take(event: Json, line: string | null): string | null {
    this.count++;
    const text = this.#write(event, line);
    return text === null ? null : this.#check(event, text);
  }

  /** The same for one whose text is canonical, which need not be parsed as a whole. */
  takeCanonical(event: Json, text: CanonicalText): string | null {
    this.count++;
    return this.#check(event, text);
  }

  #check(event: Json, text: CanonicalText): string | null {
    const sequence = sequenceOf(event);
    const correlationId = isObject(event["correlation"]) ? event["correlation"]["correlation_id"] : null;
    if (typeof correlationId !== "string" || typeof event["event_id"] !== "string") {
      this.#findings.fail("event_hashes", `event ${this.count} has no id or no correlation`, sequence);
      return null;
    }
    this.#checkHash(event, text.members, sequence);
    this.#checkChain(event, correlationId, sequence);
    this.#checkPayload(event, text.members, sequence);
    this.#checkCover(event, text, sequence);
    this.#checkSequence(event, sequence);
    return correlationId;
  }

  /** In the place of an event stands only its hash. */
  takePurged(sequence: unknown): void {
    this.count++;
    this.#checkSequence({ sequence }, typeof sequence === "number" ? sequence : null);
  }

  /** Null when it has no canonical text. */
  #write(event: Json, line: string | null): CanonicalText | null {
    const sequence = sequenceOf(event);
    const found = line === null ? null : readCanonical(line, UNCOVERED);
    if (found !== null) return found;
    const defect = line === null ? null : textDefect(line, MAX_DEPTH);
    if (defect !== null) {
      this.#findings.fail("event_hashes", `event ${this.count} ${defect}`, sequence);
      return null;
    }
    const plain = Object.keys(event).every((key) => /^[!#-[\]-~]+$/.test(key));
    if (!plain || !isCanonical(event)) {
      this.#findings.fail("event_hashes", "it holds a number or text that has no canonical form", sequence);
      return null;
    }
    const keys = Object.keys(event).toSorted();
    const members = new Map(keys.map((key) => [key, `"${key}": ${stable(event[key])}`]));
    const rest = keys.filter((key) => !UNCOVERED.has(key)).map((key) => members.get(key));
    return { members, rest: rest.join(", ") };
  }

  #checkHash(event: Json, texts: ReadonlyMap<string, string>, sequence: number | null): void {
    const scheme = event["hash_scheme"];
    if (scheme !== undefined && scheme !== "chp-event-hash-v2") {
      this.#findings.fail("event_hashes", `unknown hash scheme ${show(scheme)}`, sequence);
      return;
    }
    const text = (key: string): string => texts.get(key) ?? `"${key}": null`;
    const correlation = event["correlation"] as Json;
    const body = scheme === undefined ? "payload" : "payload_commitment";
    const hashed =
      `{${text("capability_id")}, "correlation_id": ${stable(correlation["correlation_id"])}, ${text("event_id")}, ` +
      `${text("event_type")}, ${text("host_id")}, ${text("invocation_id")}, ${text("outcome")}, ${text(body)}, ` +
      `${text("prev_hash")}, ${text("timestamp")}}`;
    const good = hash("sha256", hashed) === event["content_hash"];
    this.#findings.settle("event_hashes", good ? null : "content_hash is not the hash of the event", sequence);
  }

  #checkChain(event: Json, correlationId: string, sequence: number | null): void {
    const head = this.#heads.get(correlationId);
    const prev = event["prev_hash"] ?? null;
    const good = prev === (head ?? null) || (head === undefined && this.#part.scope === "range");
    this.lastHash = event["content_hash"] ?? null;
    this.#heads.set(correlationId, this.lastHash);
    this.#findings.settle("chain", good ? null : "prev_hash is not the hash of the event before it", sequence);
    const own = this.#part.correlationId;
    if (own !== undefined && own !== correlationId)
      this.#findings.fail("chain", "it belongs to another correlation", sequence);
    this.hostId ??= event["host_id"];
    if (this.hostId !== event["host_id"]) this.#findings.fail("chain", "it belongs to another host", sequence);
  }

  #checkPayload(event: Json, texts: ReadonlyMap<string, string>, sequence: number | null): void {
    if (event["hash_scheme"] === undefined) return;
    if (isWithheld(event["payload"])) {
      this.withheld++;
      return;
    }
    const text = texts.get("payload")?.slice('"payload": '.length);
    const good = text !== undefined && hash("sha256", text) === event["payload_commitment"];
    this.#findings.settle("payload_commitments", good ? null : "the payload is not the one committed to", sequence);
  }

  #checkCover(event: Json, { members, rest }: CanonicalText, sequence: number | null): void {
    const eventId = String(event["event_id"]);
    if (!eventId.startsWith(COVER_PREFIX)) {
      if (claimsCover(event)) this.#findings.fail("cover", "event_id is not the cover hash it claims to be", sequence);
      return;
    }
    const whole = members.has("prev_hash") && event["hash_scheme"] !== undefined;
    const good = whole && eventId === COVER_PREFIX + hash("sha256", `{${rest}}`);
    this.#findings.settle("cover", good ? null : "event_id is not the hash of what it covers", sequence);
  }

  #checkSequence(event: Json, sequence: number | null): void {
    const last = this.lastSequence;
    if (event["sequence"] === undefined && last === null) return;
    const { scope, from } = this.#part;
    const gaps = scope === "correlation" || scope === "bundle";
    const expected = last === null ? (scope === "range" ? from : 1) : last + 1;
    const isNext = gaps ? sequence !== null && (last === null || sequence > last) : sequence === expected;
    this.lastSequence = sequence ?? last;
    const reason = isNext
      ? null
      : `the sequence is ${show(event["sequence"])}, expected ${gaps ? `more than ${last}` : show(expected)}`;
    this.#findings.settle("sequence", reason, sequence);
  }
}
