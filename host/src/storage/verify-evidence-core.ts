/**
 * The decision about a record of evidence, in one file: whether the events are what the host recorded, all of them, in their
 * order, and whether the host signed that. Nothing is believed that no hash covers, and no hash counts as signed unless a
 * signature covers it. In words, from an event up to the signature:
 *
 *   payload_commitments  the payload hashes to the commitment in the event
 *   cover                the event id is the hash of everything else in the event
 *   event_hashes         the content hash is over that id, that commitment and the hash of the event before
 *   chain                the hash before is that of the last event of the same correlation; one host, one correlation
 *   sequence             events are numbered 1, 2, 3 ... and none is missing
 *   log                  their content hashes are the leaves of one tree, and its root is the one in the checkpoint
 *   signature, key_id    the checkpoint was signed, with the key that it names
 *
 * Whose key that is, proofs for a part of the log, bundles and the formats of files are the business of the files beside it.
 */
import { hash } from "node:crypto";
import { isSignedBy, keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { CHECKS, type Broken, type CheckName, type CheckState, type EvidencePart } from "./verify-evidence-result.ts";
import {
  CanonicalReader,
  isCanonical,
  isObject,
  show,
  textDefect,
  writeCanonical,
  type CanonicalObject,
  type Json,
} from "./verify-evidence-text.ts";

const COVER_PREFIX = "evt_c1_";
/** What the cover leaves out: what is made from it, and the payload, which its commitment stands for. */
const UNCOVERED = ["content_hash", "event_id", "payload", "prev_hash"];
export const SIGNED_OF_CHECKPOINT = ["kind", "host_id", "scheme", "tree_size", "root_hash", "at", "canonicalization"];
const OF_CHECKPOINT = new Set([...SIGNED_OF_CHECKPOINT, "public_key", "signature"]);
const OF_SIGNATURE = new Set(["algorithm", "key_id", "signature"]);

/** A whole subtree of the log: 2^level leaves, the `index`-th of its level. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
  /** Its 32 bytes as a text of one character each, which is many times faster to make than a buffer. */
  readonly hash: string;
}

export class EvidenceCore {
  readonly checks = Object.fromEntries(CHECKS.map((name) => [name, "absent"])) as Record<CheckName, CheckState>;
  /** The first thing that was wrong. */
  firstBroken: Broken | null = null;
  failures = 0;
  part: EvidencePart = { scope: "log" };
  hostId: unknown;
  count = 0;
  withheld = 0;
  purged = 0;
  /** How many the log says were purged. */
  purgedTold = 0;
  lastSequence: number | null = null;
  /** The content hash of the last event. */
  lastHash: unknown = null;
  /** How many events of the log there are up to here, those before the first one too. */
  size = 0;
  /** The leaves of those that are here, in as few subtrees as there can be. */
  readonly subtrees: Subtree[] = [];
  marked: readonly Subtree[] | null = null;
  /** The last content hash of each correlation. */
  readonly #heads = new Map<string, unknown>();
  readonly #reader = new CanonicalReader();
  readonly #correlation = new CanonicalReader();

  /** Before the first event. */
  begin(part: EvidencePart): void {
    this.part = part;
    this.hostId = part.hostId;
    this.size = part.before ?? 0;
    this.#mark();
  }

  /** Null: it passes. */
  settle(check: CheckName, reason: string | null, sequence: number | null = null): void {
    if (reason !== null) this.fail(check, reason, sequence);
    else if (this.checks[check] === "absent") this.checks[check] = "pass";
  }

  fail(check: CheckName, reason: string, sequence: number | null = null): void {
    this.checks[check] = "fail";
    this.failures++;
    this.firstBroken ??= { sequence, check, reason };
  }

  /** No check failed. Whether the key is the expected one is told by `key_pinned` alone. */
  get isValid(): boolean {
    return CHECKS.every((name) => this.checks[name] !== "fail" || name === "key_pinned");
  }

  /** Takes a line that is an event in its canonical form. False: it is none, and nothing was taken. */
  takeCanonical(line: string): boolean {
    if (!this.#reader.read(line) || this.#reader.get("event_id") === undefined) return false;
    this.#take(this.#reader);
    return true;
  }

  /** Takes any event. `line`: the text that it was parsed from, if it has one of its own. False: it is no event. */
  take(event: Json, line: string | null): boolean {
    if (line !== null && this.#reader.read(line)) return this.#take(this.#reader);
    const defect = line === null ? null : textDefect(line);
    const written = defect === null ? writeCanonical(event) : null;
    if (written !== null) return this.#take(written);
    this.count++;
    const reason =
      defect === null ? "it holds a number or text that has no canonical form" : `event ${this.count} ${defect}`;
    this.fail("event_hashes", reason, numberOrNull(event["sequence"]));
    return false;
  }

  /** What stands in the place of an event that the host no longer has: its leaf. */
  takePurged(sequence: unknown, leaf: string): void {
    this.count++;
    this.purged++;
    this.#checkSequence(sequence, numberOrNull(sequence));
    this.#addLeaf(leaf);
  }

  /** Everything about one event. */
  #take(event: CanonicalObject): boolean {
    this.count++;
    const given = valueOf(event.get("sequence"));
    const sequence = numberOrNull(given);
    const correlationId = this.#correlationOf(event.get("correlation") ?? "null");
    if (typeof correlationId !== "string" || event.get("event_id")?.startsWith('"') !== true) {
      this.fail("event_hashes", `event ${this.count} has no id or no correlation`, sequence);
      return false;
    }
    this.lastHash = this.#checkHash(event, correlationId, sequence) ?? null;
    this.#checkChain(event, correlationId, sequence);
    this.#checkPayload(event, sequence);
    this.#checkCover(event, sequence);
    this.#checkSequence(given, sequence);
    const contentHash = typeof this.lastHash === "string" ? this.lastHash : "";
    this.#addLeaf(hash("sha256", `\0${correlationId}\0${contentHash}\n`, "binary"));
    if (event.get("event_type") === '"evidence_purged"') this.purgedTold += countOf(event.get("payload"));
    return true;
  }

  #correlationOf(text: string): unknown {
    const reader = this.#correlation;
    if (reader.read(text)) return valueOf(reader.get("correlation_id"));
    const correlation = valueOf(text);
    return isObject(correlation) ? correlation["correlation_id"] : null;
  }

  /** The hash of ten members. Version 1 of the scheme, which has no name, hashes the payload itself. */
  #checkHash(event: CanonicalObject, correlationId: string, sequence: number | null): unknown {
    const text = (key: string): string => event.get(key) ?? "null";
    const scheme = event.get("hash_scheme");
    const body = scheme === undefined ? "payload" : "payload_commitment";
    const hashed =
      `{"capability_id": ${text("capability_id")}, "correlation_id": ${stable(correlationId)}, ` +
      `"event_id": ${text("event_id")}, "event_type": ${text("event_type")}, "host_id": ${text("host_id")}, ` +
      `"invocation_id": ${text("invocation_id")}, "outcome": ${text("outcome")}, "${body}": ${text(body)}, ` +
      `"prev_hash": ${text("prev_hash")}, "timestamp": ${text("timestamp")}}`;
    const found = hash("sha256", hashed);
    const isGood = isText(event.get("content_hash"), found);
    const isKnown = scheme === undefined || scheme === '"chp-event-hash-v2"';
    if (!isKnown) this.fail("event_hashes", `unknown hash scheme ${show(valueOf(scheme))}`, sequence);
    else this.settle("event_hashes", isGood ? null : "content_hash is not the hash of the event", sequence);
    return isGood ? found : valueOf(event.get("content_hash"));
  }

  #checkChain(event: CanonicalObject, correlationId: string, sequence: number | null): void {
    const { scope, correlationId: own } = this.part;
    const head = this.#heads.get(correlationId);
    const prev = event.get("prev_hash") ?? "null";
    const isNext = typeof head === "string" ? isText(prev, head) : prev === stable(head ?? null);
    const isGood = isNext || (head === undefined && scope === "range");
    this.#heads.set(correlationId, this.lastHash);
    this.settle("chain", isGood ? null : "prev_hash is not the hash of the event before it", sequence);
    if (own !== undefined && own !== correlationId) this.fail("chain", "it belongs to another correlation", sequence);
    const hostId = valueOf(event.get("host_id"));
    this.hostId ??= hostId;
    if (this.hostId !== hostId) this.fail("chain", "it belongs to another host", sequence);
  }

  #checkPayload(event: CanonicalObject, sequence: number | null): void {
    const payload = event.get("payload");
    if (event.get("hash_scheme") === undefined) return;
    if (isWithheld(payload)) {
      this.withheld++;
      return;
    }
    const isGood = payload !== undefined && isText(event.get("payload_commitment"), hash("sha256", payload));
    this.settle("payload_commitments", isGood ? null : "the payload is not the one committed to", sequence);
  }

  #checkCover(event: CanonicalObject, sequence: number | null): void {
    const id = event.get("event_id") ?? "";
    if (!id.startsWith(COVER_PREFIX, 1)) {
      if (claimsCover(event)) this.fail("cover", "event_id is not the cover hash it claims to be", sequence);
      return;
    }
    const isWhole = event.get("prev_hash") !== undefined && event.get("hash_scheme") !== undefined;
    const isGood = isWhole && isText(id, COVER_PREFIX + hash("sha256", event.without(UNCOVERED)));
    this.settle("cover", isGood ? null : "event_id is not the hash of what it covers", sequence);
  }

  /** In a correlation and in a bundle, sequences have gaps. */
  #checkSequence(given: unknown, sequence: number | null): void {
    const { scope, from } = this.part;
    const last = this.lastSequence;
    if (given === undefined && last === null) return;
    const hasGaps = scope === "correlation" || scope === "bundle";
    const expected = last === null ? (scope === "range" ? from : 1) : last + 1;
    const isNext = hasGaps ? sequence !== null && (last === null || sequence > last) : sequence === expected;
    this.lastSequence = sequence ?? last;
    const wanted = (): string => (hasGaps ? `more than ${last}` : show(expected));
    this.settle("sequence", isNext ? null : `the sequence is ${show(given)}, expected ${wanted()}`, sequence);
  }

  #addLeaf(leaf: string): void {
    joinSubtree(this.subtrees, { level: 0, index: this.size, hash: leaf });
    this.size++;
    this.#mark();
  }

  #mark(): void {
    if (this.part.markAt === this.size) this.marked = [...this.subtrees];
  }

  /** That a checkpoint of this host was signed. Of what log, is `checkLog`. */
  checkCheckpoint(checkpoint: Json, hostId: unknown): void {
    const defect = findCheckpointDefect(checkpoint, hostId);
    if (defect !== null) this.fail("signature", `the checkpoint: ${defect}`);
    this.checkSignature(checkpoint, SIGNED_OF_CHECKPOINT);
  }

  /** That those of `members` that it has were signed by the key that it names. */
  checkSignature(signed: Json, members: readonly string[], write: (header: Json) => string = stable): void {
    const { public_key: publicKey, signature } = signed;
    const header = Object.fromEntries(members.flatMap((key) => (key in signed ? [[key, signed[key]]] : [])));
    const isGood =
      isObject(signature) &&
      unknownMember(signature, OF_SIGNATURE) === null &&
      isCanonical(header) &&
      signature["algorithm"] === "ed25519" &&
      isSignedBy(publicKey, write(header), signature["signature"]);
    this.settle("signature", isGood ? null : "the signature does not verify");
    const keyId = keyIdOf(publicKey);
    const isOwn = isObject(signature) && keyId !== null && signature["key_id"] === keyId;
    this.settle("key_id", isOwn ? null : "the key id is not of the key");
  }

  /** That the log of the checkpoint is this one. `joinDefect`: of what joins the two where they are not of one size. */
  checkLog(checkpoint: Json, joinDefect: () => string | null): void {
    const isWhole = this.part.scope === "log" && checkpoint["tree_size"] === this.size;
    const isSame = isWhole && rootOf(this.subtrees) === checkpoint["root_hash"];
    this.settle("log", isSame ? null : isWhole ? "it is not the log that was signed" : joinDefect());
  }
}

const valueOf = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));

/** Whether it is the canonical text of a value without escapes. */
const isText = (text: string | undefined, value: string): boolean =>
  text?.length === value.length + 2 && text.startsWith('"') && text.startsWith(value, 1);
const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** Of the payload of `evidence_purged`. */
const countOf = (text: string | undefined): number => {
  const payload = valueOf(text);
  return isObject(payload) && typeof payload["count"] === "number" ? payload["count"] : Number.NaN;
};

const isWithheld = (text: string | undefined): boolean => {
  if (text?.startsWith('{"chp_') !== true) return false;
  const payload = JSON.parse(text) as Json;
  if (Object.keys(payload).length !== 1) return false;
  return payload["chp_withheld"] === true || isObject(payload["chp_sealed"]);
};

const claimsCover = (event: CanonicalObject): boolean => {
  const assurance = valueOf(event.get("assurance"));
  const notes = isObject(assurance) ? assurance["notes"] : null;
  return Array.isArray(notes) && notes.includes("bailiwick-cover-v1");
};

export const unknownMember = (object: Json, known: ReadonlySet<string>): string | null => {
  const key = Object.keys(object).find((each) => !known.has(each));
  return key === undefined ? null : `the member ${show(key)} is covered by nothing`;
};

/** What is wrong with its shape; its signature is another check. */
export const findCheckpointDefect = (checkpoint: Json, hostId: unknown): string | null => {
  const { kind, scheme, canonicalization, tree_size: size } = checkpoint;
  if (kind !== "log-checkpoint" || scheme !== "chp-store-head-v2") return "it is none";
  if (canonicalization !== "chp-stable-v1") return "its canonicalization is unknown";
  if (hostId !== undefined && checkpoint["host_id"] !== hostId) return "it is of another host";
  if (!Number.isSafeInteger(size) || Number(size) < 0) return "its size is no size";
  return unknownMember(checkpoint, OF_CHECKPOINT);
};

/** Reused: the hash is done before the function returns. */
const pair = Buffer.alloc(65, 1);

const nodeOf = (left: string, right: string): string => {
  pair.write(left, 1, "binary");
  pair.write(right, 33, "binary");
  return hash("sha256", pair, "binary");
};

/** Puts a subtree after the others and joins what is whole. */
export const joinSubtree = (subtrees: Subtree[], next: Subtree): void => {
  let top = next;
  for (let left = subtrees.at(-1); left?.level === top.level && left.index % 2 === 0; left = subtrees.at(-1)) {
    subtrees.pop();
    top = { level: top.level + 1, index: left.index / 2, hash: nodeOf(left.hash, top.hash) };
  }
  subtrees.push(top);
};

/** The root of a tree of these subtrees, from its first leaf on. */
export const rootOf = (subtrees: readonly Subtree[]): string => {
  const [last, ...others] = subtrees.toReversed();
  if (last === undefined) return hash("sha256", "");
  return Buffer.from(
    others.reduce((right, left) => nodeOf(left.hash, right), last.hash),
    "latin1",
  ).toString("hex");
};
