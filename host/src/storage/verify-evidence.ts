/**
 * Checks event lines from a store or an export, offline: hashes, chain, commitments, cover and sequence. Pure, and made for
 * hostile input: whatever the lines hold, it answers and does not throw. Without signatures this is the tier hash-chain:
 * it shows that a record was changed in part, not that it was rewritten as a whole.
 */
import { hash } from "node:crypto";
import { findJsonDefect } from "../kernel/scan-json.ts";
import { stable } from "../kernel/stable.ts";

export type CheckName = "event_hashes" | "chain" | "payload_commitments" | "cover" | "sequence";
export type CheckState = "pass" | "fail" | "absent";
export type EvidenceScope = "log" | "correlation" | "range";

export interface Verification {
  readonly valid: boolean;
  readonly tier: "hash-chain";
  /** What the lines claim to be; a file without header is taken for a whole log. */
  readonly scope: EvidenceScope;
  readonly count: number;
  /** Events whose payload was taken out or sealed; everything else about them is checked. */
  readonly withheld: number;
  readonly checks: Readonly<Record<CheckName, CheckState>>;
  readonly firstBroken: { readonly sequence: number | null; readonly check: CheckName; readonly reason: string } | null;
  /** No line could be read as an event, and there were lines. */
  readonly unreadable: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 200;
const COVER_PREFIX = "evt_c1_";
const SCOPES: ReadonlySet<unknown> = new Set(["log", "correlation", "range"]);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** A foreign value in a sentence for people. */
const show = (value: unknown): string => stable(value).slice(0, 80);
const sha256 = (value: unknown): string => hash("sha256", stable(value));

/** True when the canonical text stands for this very value: no fractions, no large numbers, no lone surrogates. */
const isCanonical = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isCanonical);
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isCanonical(member));
};

const contentHash = (event: Json, correlationId: unknown): string => {
  const members: Record<string, unknown> = { correlation_id: correlationId };
  for (const key of ["event_id", "event_type", "invocation_id", "capability_id", "host_id", "timestamp", "outcome"]) {
    members[key] = event[key] ?? null;
  }
  members["prev_hash"] = event["prev_hash"] ?? null;
  if (event["hash_scheme"] === undefined) members["payload"] = event["payload"] ?? null;
  else members["payload_commitment"] = event["payload_commitment"] ?? null;
  return sha256(members);
};

const coverHash = (event: Json): string => {
  const { event_id: _id, content_hash: _hash, prev_hash: _prev, payload: _payload, ...cover } = event;
  return sha256(cover);
};

const isWithheld = (payload: unknown): boolean =>
  isObject(payload) && ("chp_sealed" in payload || stable(payload) === '{"chp_withheld": true}');

const claimsCover = (event: Json): boolean => {
  const notes = isObject(event["assurance"]) ? event["assurance"]["notes"] : null;
  return Array.isArray(notes) && notes.includes("bailiwick-cover-v1");
};

class Verifier {
  readonly #checks: Record<CheckName, CheckState> = {
    event_hashes: "absent",
    chain: "absent",
    payload_commitments: "absent",
    cover: "absent",
    sequence: "absent",
  };
  readonly #heads = new Map<string, unknown>();
  #firstBroken: Verification["firstBroken"] = null;
  #header: Json | null = null;
  #trailer: Json | null = null;
  #scope: EvidenceScope = "log";
  #lines = 0;
  #count = 0;
  #withheld = 0;
  #lastSequence: number | null = null;

  take(line: string): void {
    if (line.trim() === "") return;
    this.#lines++;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#fail("event_hashes", `line ${this.#lines} is not JSON`);
      return;
    }
    this.#takeValue(value, line);
  }

  finish(): Verification {
    if (this.#trailer !== null && this.#trailer["count"] !== this.#count) {
      this.#fail("sequence", `the trailer counts ${show(this.#trailer["count"])} events, there are ${this.#count}`);
    }
    if (this.#header !== null && this.#trailer === null) this.#fail("sequence", "the export ends without its trailer");
    const valid = Object.values(this.#checks).every((state) => state !== "fail");
    return {
      valid,
      tier: "hash-chain",
      scope: this.#scope,
      count: this.#count,
      withheld: this.#withheld,
      checks: this.#checks,
      firstBroken: this.#firstBroken,
      unreadable: this.#count === 0 && !valid && this.#header === null,
    };
  }

  #takeValue(value: unknown, line: string): void {
    const defect = findJsonDefect(line, { maxDepth: MAX_DEPTH, numbers: false });
    if (defect !== null) {
      const what = defect.kind === "repeated" ? "repeats a member" : "is nested too deeply";
      this.#fail("event_hashes", `line ${this.#lines} ${what}`);
    } else if (!isObject(value)) {
      this.#fail("event_hashes", `line ${this.#lines} is not an event`);
    } else if (this.#lines === 1 && value["kind"] === "evidence-export") {
      this.#takeHeader(value);
    } else if (this.#trailer !== null) {
      this.#fail("sequence", `line ${this.#lines} stands after the trailer`);
    } else if (this.#header !== null && value["event_id"] === undefined && "count" in value) {
      this.#trailer = value;
    } else {
      this.#takeEvent(value);
    }
  }

  #takeHeader(header: Json): void {
    this.#header = header;
    if (SCOPES.has(header["scope"])) this.#scope = header["scope"] as EvidenceScope;
    else this.#fail("sequence", "the header does not say what part of the log this is");
    if (header["canonicalization"] !== "chp-stable-v1") {
      this.#fail("event_hashes", `unknown canonicalization ${show(header["canonicalization"])}`);
    }
  }

  #takeEvent(event: Json): void {
    this.#count++;
    const correlation = event["correlation"];
    const correlationId = isObject(correlation) ? correlation["correlation_id"] : undefined;
    const sequence = typeof event["sequence"] === "number" ? event["sequence"] : null;
    if (typeof correlationId !== "string" || typeof event["event_id"] !== "string") {
      this.#fail("event_hashes", `line ${this.#lines} is not an event`, sequence);
      return;
    }
    if (!isCanonical(event))
      this.#fail("event_hashes", "it holds a number or text that has no canonical form", sequence);
    this.#checkHash(event, correlationId, sequence);
    this.#checkChain(event, correlationId, sequence);
    this.#checkPayload(event, sequence);
    this.#checkCover(event, event["event_id"], sequence);
    this.#checkSequence(event, sequence);
  }

  #checkHash(event: Json, correlationId: string, sequence: number | null): void {
    const scheme = event["hash_scheme"];
    if (scheme !== undefined && scheme !== "chp-event-hash-v2") {
      this.#fail("event_hashes", `unknown hash scheme ${show(scheme)}`, sequence);
      return;
    }
    const good = contentHash(event, correlationId) === event["content_hash"];
    this.#settle("event_hashes", good ? null : "content_hash is not the hash of the event", sequence);
  }

  #checkChain(event: Json, correlationId: string, sequence: number | null): void {
    const known = this.#heads.has(correlationId);
    const prev = event["prev_hash"] ?? null;
    const good = prev === (this.#heads.get(correlationId) ?? null) || (!known && this.#scope === "range");
    this.#heads.set(correlationId, event["content_hash"] ?? null);
    this.#settle("chain", good ? null : "prev_hash is not the hash of the event before it", sequence);
    if (this.#scope === "correlation" && this.#header?.["correlation_id"] !== correlationId) {
      this.#fail("chain", "it belongs to another correlation than the header names", sequence);
    }
  }

  #checkPayload(event: Json, sequence: number | null): void {
    if (event["hash_scheme"] === undefined) return;
    if (isWithheld(event["payload"])) {
      this.#withheld++;
      return;
    }
    const good = sha256(event["payload"]) === event["payload_commitment"];
    this.#settle("payload_commitments", good ? null : "the payload is not the one committed to", sequence);
  }

  #checkCover(event: Json, eventId: string, sequence: number | null): void {
    if (!eventId.startsWith(COVER_PREFIX)) {
      if (claimsCover(event)) this.#fail("cover", "event_id is not the cover hash the event claims to have", sequence);
      return;
    }
    const good = eventId === COVER_PREFIX + coverHash(event) && "prev_hash" in event;
    this.#settle("cover", good ? null : "event_id is not the hash of what it covers", sequence);
  }

  #checkSequence(event: Json, sequence: number | null): void {
    const last = this.#lastSequence;
    if (event["sequence"] === undefined && last === null) return;
    const first = this.#scope === "range" ? this.#header?.["from"] : 1;
    const rises = sequence !== null && (last === null || sequence > last);
    const follows = last === null ? sequence === first : sequence === last + 1;
    const good = this.#scope === "correlation" ? rises : follows;
    const expected = this.#scope === "correlation" ? `more than ${last}` : String(last === null ? first : last + 1);
    this.#lastSequence = sequence ?? last;
    this.#settle(
      "sequence",
      good ? null : `the sequence is ${show(event["sequence"])}, expected ${expected}`,
      sequence,
    );
  }

  #settle(check: CheckName, reason: string | null, sequence: number | null): void {
    if (reason !== null) this.#fail(check, reason, sequence);
    else if (this.#checks[check] === "absent") this.#checks[check] = "pass";
  }

  #fail(check: CheckName, reason: string, sequence: number | null = null): void {
    this.#checks[check] = "fail";
    this.#firstBroken ??= { sequence, check, reason };
  }
}

export const verifyEvidence = (lines: Iterable<string>): Verification => {
  const verifier = new Verifier();
  for (const line of lines) verifier.take(line);
  return verifier.finish();
};
