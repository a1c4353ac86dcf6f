/**
 * The decision about a record of evidence, in one file: whether the events are what the host recorded, all of them, in their
 * order, and whether the host signed that. Nothing is believed that no hash covers, and no hash counts as signed unless a
 * signature covers it. From an event up to the signature:
 *
 *   payload_commitments  the payload hashes to the commitment in the event
 *   cover                the event id is the hash of all else in the event, that commitment too
 *   event_hashes         the content hash is over that id and the content hash before it
 *   chain                the one before is that of the last event of the same correlation
 *   sequence             events are numbered 1, 2, 3 ... and none is missing
 *   log                  their content hashes are the leaves of one tree, and its root is the one in the checkpoint
 *   signature, key_id    the checkpoint was signed with the key that it names
 *
 * Beside it stand what is hashed (`-text`), the hashes of the tree (`-tree`), proofs for a part of the log (`-proofs`), whose
 * key it is (`-key`), and what kind of file this is (`verify-evidence.ts`).
 */
import { hash } from "node:crypto";
import { isSignedBy, keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { Findings, type EvidencePart } from "./verify-evidence-result.ts";
import { joinSubtree, leafOf, rootOf, type Subtree } from "./verify-evidence-tree.ts";
import {
  EventReader,
  isCanonical,
  isObject,
  show,
  textDefect,
  writeEvent,
  type EventTexts,
  type Json,
} from "./verify-evidence-text.ts";

const COVER_PREFIX = "evt_c1_";
export const SIGNED_OF_CHECKPOINT = ["kind", "host_id", "scheme", "tree_size", "root_hash", "at", "canonicalization"];
const OF_CHECKPOINT = new Set([...SIGNED_OF_CHECKPOINT, "public_key", "signature"]);
const OF_SIGNATURE = new Set(["algorithm", "key_id", "signature"]);

export class EvidenceCore {
  readonly findings = new Findings();
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
  /** Those at `part.markAt`. */
  marked: readonly Subtree[] | null = null;
  /** The text of `hostId` once an event had it; nearly all have the same. */
  #host: string | undefined = "";
  /** The last content hash of each correlation. */
  readonly #heads = new Map<string, unknown>();
  readonly #reader = new EventReader();

  /** Before the first event. */
  begin(part: EvidencePart): void {
    this.part = part;
    this.hostId = part.hostId;
    this.size = part.before ?? 0;
    this.#mark();
  }

  /** Takes a line that is an event in its canonical form. False: it is none, and nothing was taken. */
  takeCanonical(line: string): boolean {
    const event = this.#reader.read(line);
    return event !== null && this.#take(event);
  }

  /** Takes any event. `line`: the text that it was parsed from, if it has one of its own. False: it is no event. */
  take(event: Json, line: string | null): boolean {
    const read = line === null ? null : this.#reader.read(line);
    if (read !== null) return this.#take(read);
    const defect = line === null ? null : textDefect(line);
    const written = defect === null ? writeEvent(event) : null;
    if (written !== null) return this.#take(written);
    this.count++;
    const reason =
      defect === null ? "it holds a number or text that has no canonical form" : `event ${this.count} ${defect}`;
    this.findings.fail("event_hashes", reason, numberOrNull(event["sequence"]));
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
  #take(event: EventTexts): boolean {
    this.count++;
    const given = valueOf(event.sequence);
    const sequence = numberOrNull(given);
    const correlationId = valueOf(event.correlationId);
    if (typeof correlationId !== "string" || event.eventId?.startsWith('"') !== true) {
      this.findings.fail("event_hashes", `event ${this.count} has no id or no correlation`, sequence);
      return false;
    }
    this.lastHash = this.#checkHash(event, sequence) ?? null;
    this.#checkChain(event, correlationId, sequence);
    this.#checkPayload(event, sequence);
    this.#checkCover(event, sequence);
    this.#checkSequence(given, sequence);
    const contentHash = typeof this.lastHash === "string" ? this.lastHash : "";
    this.#addLeaf(leafOf(correlationId, contentHash));
    if (event.eventType === '"evidence_purged"') this.purgedTold += countOf(event.payload);
    return true;
  }

  /** What it says its hash is, whether that is so or not. */
  #checkHash(event: EventTexts, sequence: number | null): unknown {
    const scheme = event.hashScheme;
    const found = hash("sha256", event.content);
    const isGood = isText(event.contentHash, found);
    const isKnown = scheme === undefined || scheme === '"chp-event-hash-v2"';
    if (!isKnown) this.findings.fail("event_hashes", `unknown hash scheme ${show(valueOf(scheme))}`, sequence);
    else this.findings.settle("event_hashes", isGood ? null : "content_hash is not the hash of the event", sequence);
    return isGood ? found : valueOf(event.contentHash);
  }

  #checkChain(event: EventTexts, correlationId: string, sequence: number | null): void {
    const { scope, correlationId: own } = this.part;
    const head = this.#heads.get(correlationId);
    const prev = event.prevHash ?? "null";
    const isNext = (typeof head === "string" && isText(prev, head)) || prev === stable(head ?? null);
    const isGood = isNext || (head === undefined && scope === "range");
    this.#heads.set(correlationId, this.lastHash);
    this.findings.settle("chain", isGood ? null : "prev_hash is not the hash of the event before it", sequence);
    if (own !== undefined && own !== correlationId)
      this.findings.fail("chain", "it belongs to another correlation", sequence);
    if (event.hostId === this.#host) return;
    const hostId = valueOf(event.hostId);
    this.hostId ??= hostId;
    if (this.hostId !== hostId) this.findings.fail("chain", "it belongs to another host", sequence);
    else this.#host = event.hostId;
  }

  #checkPayload(event: EventTexts, sequence: number | null): void {
    const { payload, hashScheme } = event;
    if (hashScheme === undefined) return;
    if (isWithheld(payload)) {
      this.withheld++;
      return;
    }
    const isGood = payload !== undefined && isText(event.payloadCommitment, hash("sha256", payload));
    this.findings.settle("payload_commitments", isGood ? null : "the payload is not the one committed to", sequence);
  }

  #checkCover(event: EventTexts, sequence: number | null): void {
    const id = event.eventId ?? "";
    if (!id.startsWith(COVER_PREFIX, 1)) {
      if (claimsCover(event)) this.findings.fail("cover", "event_id is not the cover hash it claims to be", sequence);
      return;
    }
    const isWhole = event.prevHash !== undefined && event.hashScheme !== undefined;
    const isGood = isWhole && isText(id, COVER_PREFIX + hash("sha256", event.cover));
    this.findings.settle("cover", isGood ? null : "event_id is not the hash of what it covers", sequence);
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
    this.findings.settle("sequence", isNext ? null : `the sequence is ${show(given)}, expected ${wanted()}`, sequence);
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
    if (defect !== null) this.findings.fail("signature", `the checkpoint: ${defect}`);
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
    this.findings.settle("signature", isGood ? null : "the signature does not verify");
    const keyId = keyIdOf(publicKey);
    const isOwn = isObject(signature) && keyId !== null && signature["key_id"] === keyId;
    this.findings.settle("key_id", isOwn ? null : "the key id is not of the key");
  }

  /** That the log of the checkpoint is this one. `joinDefect`: of what joins the two where they are not of one size. */
  checkLog(checkpoint: Json, joinDefect: () => string | null): void {
    const isWhole = this.part.scope === "log" && checkpoint["tree_size"] === this.size;
    const isSame = isWhole && rootOf(this.subtrees) === checkpoint["root_hash"];
    this.findings.settle("log", isSame ? null : isWhole ? "it is not the log that was signed" : joinDefect());
  }
}

const valueOf = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));
const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** Whether it is the canonical text of a value without escapes. */
const isText = (text: string | undefined, value: string): boolean =>
  text?.length === value.length + 2 && text.startsWith('"') && text.startsWith(value, 1);

/** Of the payload of `evidence_purged`. */
const countOf = (text: string | undefined): number => {
  const payload = valueOf(text);
  if (!isObject(payload)) return 0;
  return typeof payload["count"] === "number" ? payload["count"] : Number.NaN;
};

const isWithheld = (text: string | undefined): boolean => {
  if (text?.startsWith('{"chp_') !== true) return false;
  const payload = JSON.parse(text) as Json;
  if (Object.keys(payload).length !== 1) return false;
  return payload["chp_withheld"] === true || isObject(payload["chp_sealed"]);
};

const claimsCover = (event: EventTexts): boolean => {
  const assurance = valueOf(event.assurance);
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
