/**
 * Checks evidence offline: a signed bundle, a JSON Lines export, or the bare lines of a log. Pure, and made for hostile input:
 * whatever the text holds, it answers and does not throw. This file tells what the text is and reads what stands around the
 * events; whether the events are good is decided in `verify-evidence-core.ts`. Which key signed is told, not judged, unless
 * one is expected.
 */
import { createHash } from "node:crypto";
import { jcs } from "../kernel/jcs.ts";
import { keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { EvidenceCore, unknownMember } from "./verify-evidence-core.ts";
import { expectedKeyOf, findIdentityDefect, isExpected, type ExpectedKey } from "./verify-evidence-key.ts";
import { LogJoin, readHash, readKeptCheckpoint } from "./verify-evidence-proofs.ts";
import type { EvidencePart, Verification, VerifyOptions } from "./verify-evidence-result.ts";
import { isObject, show, textDefect, type Json } from "./verify-evidence-text.ts";

const MAX_BUNDLE_CHARS = 256 << 20;
const SIGNED_OF_BUNDLE = ["host_id", "protocol_version", "created_at", "canonicalization", "root_hash", "completeness"];
const OF_BUNDLE = new Set([...SIGNED_OF_BUNDLE, "assurance", "events", "public_key", "signature", "host_identity"]);
const OF_COMPLETENESS = new Set(["scheme", "correlation_id", "as_of_sequence", "head_hash"]);
const OF_EXPORT = new Set(["kind", "version", "host_id", "exported_at", "canonicalization", "scope", "correlation_id"]);
for (const key of ["from", "to", "identity"]) OF_EXPORT.add(key);
const OF_PURGED = new Set(["sequence", "leaf"]);
const OF_TRAILER = new Set(["count", "checkpoint", "consistency", "inclusion"]);

class Verifier {
  readonly #options: VerifyOptions;
  readonly #core = new EvidenceCore();
  readonly #findings = this.#core.findings;
  #join: LogJoin;
  #kept: Json | null = null;
  /** Lines that may be one text together. */
  #pending: string[] | null = null;
  #pendingChars = 0;
  #header: Json | null = null;
  #trailer: Json | null = null;
  #isBundle = false;
  #keyId: string | null = null;
  #unsigned = 0;
  #lines = 0;

  constructor(options: VerifyOptions) {
    this.#options = options;
    const kept = options.checkpoint === undefined ? null : readKeptCheckpoint(options.checkpoint);
    if (typeof kept === "string") this.#findings.fail("log", `the kept checkpoint: ${kept}`);
    else this.#kept = kept;
    this.#join = this.#begin({ scope: "log" });
  }

  take(line: string): void {
    if (this.#pending !== null) this.#pend(line);
    else if (line.trim() !== "") this.#takeText(line);
  }

  finish(): Verification {
    if (this.#pending !== null) this.#settlePending(this.#pending);
    if (this.#header !== null) this.#finishExport(this.#header);
    const compared = this.#kept !== null && this.#join.checkKept(this.#kept);
    const { checks, firstBroken } = this.#findings;
    const { count, hostId, part, purged, withheld } = this.#core;
    const valid = Object.entries(checks).every(([name, state]) => state !== "fail" || name === "key_pinned");
    const covered = checks.signature === "pass" && checks.key_id === "pass" && checks.host_identity === "pass";
    return {
      valid,
      tier: covered && (this.#isBundle || checks.log === "pass") ? "signed" : "hash-chain",
      scope: part.scope,
      hostId: typeof hostId === "string" ? hostId : null,
      keyId: this.#keyId,
      count,
      withheld,
      purged,
      unsigned: this.#unsigned,
      compared,
      checks,
      firstBroken,
      unreadable: count === 0 && !valid && this.#header === null && !this.#isBundle,
    };
  }

  /** With one correlation no kept checkpoint can be compared. */
  #begin(part: EvidencePart): LogJoin {
    if (part.scope === "correlation" || part.scope === "bundle") this.#kept = null;
    this.#core.begin({ ...part, markAt: this.#kept?.["tree_size"] });
    this.#join = new LogJoin(this.#core);
    return this.#join;
  }

  #takeText(text: string): void {
    this.#lines++;
    // Most lines; the first may be something else than an event.
    const isInside = this.#lines > 1 && !this.#isBundle && this.#trailer === null;
    if (isInside && this.#core.takeCanonical(text)) return;
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
      const defect = textDefect(text) ?? unknownMember(value, OF_TRAILER);
      if (defect !== null) this.#findings.fail("sequence", `the trailer: ${defect}`);
      this.#trailer = defect === null ? value : {};
    } else if (this.#header !== null && value["event_id"] === undefined && "leaf" in value) {
      this.#takePurged(value, text);
    } else {
      this.#core.take(value, text);
    }
  }

  #takePurged(value: Json, text: string): void {
    const defect = textDefect(text) ?? unknownMember(value, OF_PURGED);
    const leaf = defect === null ? readHash(value["leaf"]) : null;
    if (leaf === null) this.#findings.fail("sequence", `line ${this.#lines} is not an event`);
    else this.#core.takePurged(value["sequence"], leaf.toString("latin1"));
  }

  #takeHeader(given: Json, text: string): void {
    const defect = textDefect(text) ?? unknownMember(given, OF_EXPORT);
    if (defect !== null) this.#findings.fail("sequence", `the header: ${defect}`);
    const header = defect === null ? given : {};
    this.#header = header;
    const { scope, from, host_id: hostId, correlation_id: correlationId, canonicalization } = header;
    const isKnown = scope === "log" || scope === "range" || scope === "correlation";
    if (!isKnown) this.#findings.fail("sequence", "the header does not say what part of the log this is");
    if (canonicalization !== "chp-stable-v1")
      this.#findings.fail("event_hashes", `unknown canonicalization ${show(canonicalization)}`);
    const before = scope === "range" && Number.isSafeInteger(from) ? Math.max(0, Number(from) - 1) : 0;
    const own = scope === "correlation" ? { correlationId: correlationId ?? null } : {};
    this.#begin({ scope: isKnown ? scope : "log", from, hostId, before, ...own });
  }

  #finishExport(header: Json): void {
    const trailer = this.#trailer;
    if (trailer === null) return this.#findings.fail("sequence", "the export ends without its trailer");
    const { count, lastSequence, purged, purgedTold } = this.#core;
    if (trailer["count"] !== count)
      this.#findings.fail("sequence", `the trailer counts ${show(trailer["count"])} events, there are ${count}`);
    const { scope, from, to } = header;
    const last = lastSequence ?? (typeof from === "number" ? from - 1 : Number.NaN);
    if (scope !== "correlation" && to !== undefined && to !== last)
      this.#findings.fail("sequence", `the header names ${show(to)} as the last event, it is ${show(lastSequence)}`);
    // A part of the log need not hold the event that tells of it.
    if (scope === "log" && purged !== purgedTold)
      this.#findings.fail("sequence", `${purged} events are purged, the log tells of ${purgedTold}`);
    const { checkpoint } = trailer;
    if (isObject(checkpoint)) this.#checkCheckpoint(checkpoint, header, trailer);
    else if (checkpoint !== undefined) this.#findings.fail("signature", "the checkpoint is none");
  }

  #checkCheckpoint(checkpoint: Json, header: Json, trailer: Json): void {
    const document = isObject(header["identity"]) ? header["identity"] : {};
    const own = expectedKeyOf(document);
    this.#core.checkCheckpoint(checkpoint, header["host_id"]);
    this.#checkKey(checkpoint, own);
    // The host may have a newer key since: then that one is attested, and the older leads to it.
    const isOlder = own !== null && own.publicKey !== checkpoint["public_key"];
    const leads = isOlder && isExpected(own, checkpoint["public_key"], []);
    const attestation = document["host_identity"];
    const signed = leads ? { ...checkpoint, public_key: own.publicKey } : checkpoint;
    this.#checkIdentity(
      attestation,
      signed,
      leads && isObject(attestation) ? attestation["valid_from"] : checkpoint["at"],
    );
    this.#core.checkLog(checkpoint, () => this.#join.findDefect(checkpoint, trailer));
    const { part, size } = this.#core;
    const { tree_size: signedSize } = checkpoint;
    if (part.scope !== "correlation" && typeof signedSize === "number") this.#unsigned = Math.max(0, size - signedSize);
  }

  #takeBundle(bundle: Json, text: string): void {
    this.#isBundle = true;
    const { completeness, events, host_id: hostId } = bundle;
    const correlation = isObject(completeness) ? { correlationId: completeness["correlation_id"] } : {};
    this.#begin({ scope: "bundle", hostId, ...correlation });
    const defect = textDefect(text) ?? unknownMember(bundle, OF_BUNDLE);
    if (defect !== null) return this.#findings.fail("signature", `the bundle: ${defect}`);
    const root = createHash("sha256");
    if (!Array.isArray(events)) this.#findings.fail("event_hashes", "the bundle has no list of events");
    for (const event of Array.isArray(events) ? (events as unknown[]) : []) {
      const isEvent = isObject(event);
      if (isEvent) this.#core.take(event, null);
      else this.#findings.fail("event_hashes", "it holds something that is no event");
      root.update(`${isEvent && typeof event["content_hash"] === "string" ? event["content_hash"] : ""}\n`);
    }
    const isRoot = root.digest("hex") === bundle["root_hash"];
    this.#findings.settle("root_hash", isRoot ? null : "root_hash is not the hash of the events");
    if (completeness !== undefined) this.#checkCompleteness(completeness);
    this.#checkAssurance(bundle);
  }

  #checkCompleteness(claim: unknown): void {
    const { lastHash, lastSequence, count } = this.#core;
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
      this.#core.checkSignature(bundle, SIGNED_OF_BUNDLE, canonicalization === "chp-jcs-v1" ? jcs : stable);
      this.#checkKey(bundle, null);
      this.#checkIdentity(bundle["host_identity"], bundle, bundle["created_at"]);
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

  /** That the key is this host's own, at this time. */
  #checkIdentity(identity: unknown, { host_id: hostId, public_key: publicKey }: Json, at: unknown): void {
    if (identity === undefined) return;
    const defect = findIdentityDefect(identity, { hostId, publicKey, at });
    this.#findings.settle("host_identity", defect === null ? null : `the host's attestation: ${defect}`);
  }
}

export const verifyEvidence = (lines: Iterable<string>, options: VerifyOptions = {}): Verification => {
  const verifier = new Verifier(options);
  for (const line of lines) verifier.take(line);
  return verifier.finish();
};
