/**
 * Checks evidence offline: a signed bundle, a JSON Lines export, or the bare lines of a log. Pure, and made for hostile input:
 * whatever the text holds, it answers and does not throw. Everything is recomputed from the events; nothing is believed that
 * no hash covers, and no hash counts as signed unless a signature covers it. Which key signed is told, not judged, unless
 * one is expected.
 */
import { createHash } from "node:crypto";
import { keyIdOf } from "../kernel/signing.ts";
import { EventChecks, MAX_DEPTH, show, textDefect, UNCOVERED, type EventPart } from "./verify-evidence-events.ts";
import { Findings } from "./verify-evidence-findings.ts";
import { expectedKeyOf, isExpected, isObject, type ExpectedKey, type Json } from "./verify-evidence-key.ts";
import { LogCheck } from "./verify-evidence-log.ts";
import type { Verification, VerifyOptions } from "./verify-evidence-result.ts";
import { eventOfMembers } from "./verify-evidence-members.ts";
import { readHash } from "./verify-evidence-tree.ts";
import {
  checkIdentity,
  checkSignature,
  findCheckpointDefect,
  readKeptCheckpoint,
  SIGNED_OF_BUNDLE,
  SIGNED_OF_CHECKPOINT,
  unknownMember,
} from "./verify-evidence-signature.ts";
import { readCanonical } from "./verify-evidence-text.ts";

const MAX_BUNDLE_CHARS = 256 << 20;
const OF_BUNDLE = new Set([...SIGNED_OF_BUNDLE, "assurance", "events", "public_key", "signature", "host_identity"]);
const OF_COMPLETENESS = new Set(["scheme", "correlation_id", "as_of_sequence", "head_hash"]);
const OF_EXPORT = new Set(["kind", "version", "host_id", "exported_at", "canonicalization", "scope", "correlation_id"]);
for (const key of ["from", "to", "identity"]) OF_EXPORT.add(key);
const OF_PURGED = new Set(["sequence", "leaf"]);
const OF_TRAILER = new Set(["count", "checkpoint", "consistency", "inclusion"]);

class Verifier {
  readonly #options: VerifyOptions;
  readonly #findings = new Findings();
  #part: EventPart = { scope: "log" };
  #events = new EventChecks(this.#findings, this.#part);
  #log: LogCheck;
  #kept: Json | null = null;
  /** Lines that may be one text together. */
  #pending: string[] | null = null;
  #pendingChars = 0;
  #header: Json | null = null;
  #trailer: Json | null = null;
  #isBundle = false;
  #keyId: string | null = null;
  #unsigned = 0;
  #purged = 0;
  /** As many as the log says. */
  #purgedTold = 0;
  #lines = 0;

  constructor(options: VerifyOptions) {
    this.#options = options;
    const kept = options.checkpoint === undefined ? null : readKeptCheckpoint(options.checkpoint);
    if (typeof kept === "string") this.#findings.fail("log", `the kept checkpoint: ${kept}`);
    else this.#kept = kept;
    this.#log = new LogCheck(0, this.#kept);
  }

  take(line: string): void {
    if (this.#pending !== null) this.#pend(line);
    else if (line.trim() !== "") this.#takeText(line);
  }

  finish(): Verification {
    if (this.#pending !== null) this.#settlePending(this.#pending);
    if (this.#header !== null) this.#finishExport(this.#header);
    const compared = this.#log.checkKept(this.#findings);
    const { checks, firstBroken } = this.#findings;
    const valid = Object.entries(checks).every(([name, state]) => state !== "fail" || name === "key_pinned");
    const covered = checks.signature === "pass" && checks.key_id === "pass" && checks.host_identity === "pass";
    const { hostId, count, withheld } = this.#events;
    return {
      valid,
      tier: covered && (this.#isBundle || checks.log === "pass") ? "signed" : "hash-chain",
      scope: this.#part.scope,
      hostId: typeof hostId === "string" ? hostId : null,
      keyId: this.#keyId,
      count,
      withheld,
      purged: this.#purged,
      unsigned: this.#unsigned,
      compared,
      checks,
      firstBroken,
      unreadable: count === 0 && !valid && this.#header === null && !this.#isBundle,
    };
  }

  #takeText(text: string): void {
    this.#lines++;
    if (this.#takeCanonical(text)) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      if (this.#lines === 1 && this.#pending === null) this.#pend(text);
      else this.#findings.fail("event_hashes", `line ${this.#lines} is not JSON`);
      return;
    }
    this.#takeValue(value, text);
  }

  /** Most lines: what a host wrote, and not the first, which may be something else than an event. */
  #takeCanonical(text: string): boolean {
    if (this.#lines === 1 || this.#isBundle || this.#trailer !== null) return false;
    const canonical = readCanonical(text, UNCOVERED);
    if (canonical === null || !canonical.members.has("event_id")) return false;
    const event = eventOfMembers(canonical.members);
    this.#noteEvent(event, this.#events.takeCanonical(event, canonical));
    return true;
  }

  /** A first line that is no JSON may be the beginning of a bundle over several lines. */
  #pend(line: string): void {
    this.#pending ??= [];
    this.#pending.push(line);
    this.#pendingChars += line.length;
    if (this.#pendingChars > MAX_BUNDLE_CHARS) this.#settlePending(this.#pending);
  }

  #settlePending(lines: readonly string[]): void {
    const text = lines.join("\n");
    this.#pending = null;
    try {
      this.#takeValue(JSON.parse(text), text);
    } catch {
      this.#findings.fail("event_hashes", "line 1 is not JSON");
      for (const line of lines.slice(1)) this.take(line);
    }
  }

  #takeValue(value: unknown, text: string): void {
    if (!isObject(value)) {
      this.#findings.fail("event_hashes", `line ${this.#lines} is not an event`);
    } else if (this.#isBundle || this.#trailer !== null) {
      this.#findings.fail("sequence", `line ${this.#lines} stands after the end`);
    } else if (this.#lines === 1 && value["kind"] === "evidence-export") {
      this.#takeHeader(value, text);
    } else if (this.#lines === 1 && "events" in value && value["event_id"] === undefined) {
      this.#takeBundle(value, text);
    } else if (this.#header !== null && value["event_id"] === undefined && "count" in value) {
      const defect = textDefect(text, MAX_DEPTH) ?? unknownMember(value, OF_TRAILER);
      if (defect !== null) this.#findings.fail("sequence", `the trailer: ${defect}`);
      this.#trailer = defect === null ? value : {};
    } else if (this.#header !== null && value["event_id"] === undefined && "leaf" in value) {
      this.#takePurged(value, text);
    } else {
      this.#takeEvent(value, text);
    }
  }

  #takePurged(value: Json, text: string): void {
    const defect = textDefect(text, MAX_DEPTH) ?? unknownMember(value, OF_PURGED);
    const leaf = defect === null ? readHash(value["leaf"]) : null;
    if (leaf === null) return this.#findings.fail("sequence", `line ${this.#lines} is not an event`);
    this.#log.addLeaf(leaf.toString("latin1"));
    this.#events.takePurged(value["sequence"]);
    this.#purged++;
  }

  #takeEvent(event: Json, line: string | null): void {
    this.#noteEvent(event, this.#events.take(event, line));
  }

  #noteEvent(event: Json, correlationId: string | null): void {
    if (correlationId === null) return;
    this.#log.add(correlationId, String(event["content_hash"]));
    const { event_type: type, payload } = event;
    if (type === "evidence_purged" && isObject(payload)) this.#purgedTold += Number(payload["count"]);
  }

  #takeHeader(given: Json, text: string): void {
    const defect = textDefect(text, MAX_DEPTH) ?? unknownMember(given, OF_EXPORT);
    if (defect !== null) this.#findings.fail("sequence", `the header: ${defect}`);
    const header = defect === null ? given : {};
    this.#header = header;
    const { scope, from, host_id: hostId, correlation_id: correlationId, canonicalization } = header;
    const known = scope === "log" || scope === "range" || scope === "correlation";
    if (!known) this.#findings.fail("sequence", "the header does not say what part of the log this is");
    if (canonicalization !== "chp-stable-v1")
      this.#findings.fail("event_hashes", `unknown canonicalization ${show(canonicalization)}`);
    const before = scope === "range" && Number.isSafeInteger(from) ? Math.max(0, Number(from) - 1) : 0;
    this.#part = { scope: known ? scope : "log", from, hostId };
    if (scope === "correlation") this.#part = { ...this.#part, correlationId: correlationId ?? null };
    this.#events = new EventChecks(this.#findings, this.#part);
    this.#log = new LogCheck(before, scope === "correlation" ? null : this.#kept);
  }

  #finishExport(header: Json): void {
    if (this.#trailer === null) {
      this.#findings.fail("sequence", "the export ends without its trailer");
      return;
    }
    const { count, lastSequence } = this.#events;
    if (this.#trailer["count"] !== count) {
      const claimed = show(this.#trailer["count"]);
      this.#findings.fail("sequence", `the trailer counts ${claimed} events, there are ${count}`);
    }
    const { scope, to } = header;
    if (scope !== "correlation" && to !== undefined && to !== (lastSequence ?? Number(header["from"]) - 1))
      this.#findings.fail("sequence", `the header names ${show(to)} as the last event, it is ${show(lastSequence)}`);
    // A part of the log need not hold the event that tells of it.
    if (scope === "log" && this.#purged !== this.#purgedTold)
      this.#findings.fail("sequence", `${this.#purged} events are purged, the log tells of ${this.#purgedTold}`);
    const checkpoint = this.#trailer["checkpoint"];
    if (isObject(checkpoint)) this.#checkCheckpoint(checkpoint, header, this.#trailer);
    else if (checkpoint !== undefined) this.#findings.fail("signature", "the checkpoint is none");
  }

  #checkCheckpoint(checkpoint: Json, header: Json, trailer: Json): void {
    const defect = findCheckpointDefect(checkpoint, header["host_id"]);
    if (defect !== null) this.#findings.fail("signature", `the checkpoint: ${defect}`);
    const document = isObject(header["identity"]) ? header["identity"] : {};
    const own = expectedKeyOf(document);
    checkSignature(this.#findings, checkpoint, SIGNED_OF_CHECKPOINT);
    this.#checkKey(checkpoint, own);
    // The host may have a newer key since: then that one is attested, and the older leads to it.
    const isOlder = own !== null && own.publicKey !== checkpoint["public_key"];
    const leads = isOlder && isExpected(own, checkpoint["public_key"], []);
    const attestation = document["host_identity"];
    const signed = leads ? { ...checkpoint, public_key: own.publicKey } : checkpoint;
    const at = leads && isObject(attestation) ? attestation["valid_from"] : checkpoint["at"];
    checkIdentity(this.#findings, attestation, { signed, at });
    const { scope, correlationId } = this.#part;
    this.#log.check(this.#findings, checkpoint, { scope, correlationId, trailer, lastHash: this.#events.lastHash });
    if (scope !== "correlation") this.#unsigned = this.#log.unsigned(checkpoint);
  }

  #takeBundle(bundle: Json, text: string): void {
    this.#isBundle = true;
    const { completeness, events, host_id: hostId } = bundle;
    const correlation = isObject(completeness) ? { correlationId: completeness["correlation_id"] } : {};
    this.#part = { scope: "bundle", hostId, ...correlation };
    this.#log = new LogCheck(0, null);
    this.#events = new EventChecks(this.#findings, this.#part);
    const defect = textDefect(text, MAX_DEPTH) ?? unknownMember(bundle, OF_BUNDLE);
    if (defect !== null) {
      this.#findings.fail("signature", `the bundle: ${defect}`);
      return;
    }
    const root = createHash("sha256");
    if (!Array.isArray(events)) this.#findings.fail("event_hashes", "the bundle has no list of events");
    for (const event of Array.isArray(events) ? (events as unknown[]) : []) {
      if (!isObject(event)) this.#findings.fail("event_hashes", "it holds something that is no event");
      else this.#takeEvent(event, null);
      root.update(`${isObject(event) ? String(event["content_hash"]) : ""}\n`);
    }
    const isRoot = root.digest("hex") === bundle["root_hash"];
    this.#findings.settle("root_hash", isRoot ? null : "root_hash is not the hash of the events");
    if (completeness !== undefined) this.#checkCompleteness(completeness);
    this.#checkAssurance(bundle);
  }

  #checkCompleteness(claim: unknown): void {
    const { lastHash, lastSequence, count } = this.#events;
    const good =
      isObject(claim) &&
      unknownMember(claim, OF_COMPLETENESS) === null &&
      claim["scheme"] === "chp-completeness-v1" &&
      typeof claim["correlation_id"] === "string" &&
      Number.isSafeInteger(claim["as_of_sequence"]) &&
      Number(claim["as_of_sequence"]) >= (lastSequence ?? 0) &&
      count > 0 &&
      claim["head_hash"] === lastHash;
    this.#findings.settle("completeness", good ? null : "the events are not all that it claims to hold");
  }

  #checkAssurance(bundle: Json): void {
    const { assurance, canonicalization } = bundle;
    if (canonicalization !== "chp-stable-v1" && canonicalization !== "chp-jcs-v1")
      this.#findings.fail("signature", `unknown canonicalization ${show(canonicalization)}`);
    if (assurance === "signed") {
      checkSignature(this.#findings, bundle, SIGNED_OF_BUNDLE);
      this.#checkKey(bundle, null);
      checkIdentity(this.#findings, bundle["host_identity"], { signed: bundle, at: bundle["created_at"] });
    } else if (assurance !== "hash-chain" || "signature" in bundle) {
      this.#findings.fail("signature", `the assurance ${show(assurance)} is not what the bundle has`);
    }
  }

  /** Which key it was, and whether it is the expected one. */
  #checkKey({ public_key: publicKey }: Json, document: ExpectedKey | null): void {
    this.#keyId = keyIdOf(publicKey);
    const { key, documents = [] } = this.#options;
    if (key === undefined) return;
    const expected = isExpected(key, publicKey, [...documents, document]);
    this.#findings.settle("key_pinned", expected ? null : "it was signed with another key than the expected one");
  }
}

export const verifyEvidence = (lines: Iterable<string>, options: VerifyOptions = {}): Verification => {
  const verifier = new Verifier(options);
  for (const line of lines) verifier.take(line);
  return verifier.finish();
};
