/**
 * How a part of the log is joined to the log that was signed: a stretch by consistency proofs, one correlation by the
 * inclusion of its last event; and how a log goes on from a checkpoint that somebody kept. Pure.
 */
import { isSignedBy, keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { provesConsistency } from "./tree/proves-consistency.ts";
import { provesInclusion } from "./tree/proves-inclusion.ts";
import { leafHash } from "./tree/tree-hash.ts";
import { findCheckpointDefect, SIGNED_OF_CHECKPOINT, type EvidenceCore } from "./verify-evidence-core.ts";
import { isObject, textDefect, type Json } from "./verify-evidence-text.ts";
import { joinSubtree, rootOf, type Subtree } from "./verify-evidence-tree.ts";

const HEX = /^[0-9a-f]{64}$/;
const MAX_PATH = 128;

export const readHash = (text: unknown): Buffer | null =>
  typeof text === "string" && HEX.test(text) ? Buffer.from(text, "hex") : null;

const readPath = (path: unknown): Buffer[] | null => {
  if (!Array.isArray(path) || path.length > MAX_PATH) return null;
  const hashes = path.map(readHash);
  return hashes.every((each) => each !== null) ? hashes : null;
};

/** No number is none of a tree. */
const numberOf = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);

/** A node on the way up to the root, and the last one of its level. */
class Climb {
  level = 0;
  at: number;
  last: number;

  constructor(index: number, last: number) {
    this.at = index;
    this.last = last;
  }

  up(): void {
    this.level++;
    this.at = Math.floor(this.at / 2);
    this.last = Math.floor(this.last / 2);
  }
}

/** The subtrees of the earlier tree, which stand on the way of a path that is known to be good. */
const subtreesOn = (path: readonly Buffer[], seed: Buffer, sizes: readonly [number, number]): Subtree[] => {
  const climb = new Climb(sizes[0] - 1, sizes[1] - 1);
  while (climb.at % 2 === 1) climb.up();
  const subtrees: Subtree[] = [{ level: climb.level, index: climb.at, hash: seed.toString("latin1") }];
  for (const sibling of path) {
    if (climb.at % 2 === 1 || climb.at === climb.last) {
      while (climb.at % 2 === 0 && climb.at !== 0) climb.up();
      subtrees.unshift({ level: climb.level, index: climb.at - 1, hash: sibling.toString("latin1") });
    }
    climb.up();
  }
  return subtrees;
};

/**
 * Whether a `store-head-consistency` holds: null when it does not, else the subtrees of the earlier tree, to which leaves can
 * be added. Two trees of one size prove nothing of each other.
 */
export const subtreesOfConsistency = (proof: Json): Subtree[] | null => {
  const [first, second] = [numberOf(proof["first_size"]), numberOf(proof["second_size"])];
  const path = readPath(proof["proof"]);
  const [firstRoot, secondRoot] = [readHash(proof["first_root"]), readHash(proof["second_root"])];
  if (proof["scheme"] !== "chp-store-head-v2" || !path || !firstRoot || !secondRoot || first === second) return null;
  if (!provesConsistency({ first, second, firstRoot, secondRoot, path })) return null;
  if (first === 0) return [];
  const isWhole = Number.isInteger(Math.log2(first));
  const [seed = firstRoot, ...rest] = isWhole ? [firstRoot, ...path] : path;
  return subtreesOn(rest, seed, [first, second]);
};

/** Whether a `store-head-inclusion` leads from its leaf to this root. */
export const isIncluded = (proof: Json, root: unknown): boolean => {
  const { scheme, correlation_id: id, head_hash: head } = proof;
  const path = readPath(proof["audit_path"]);
  const known = readHash(root);
  if (scheme !== "chp-store-head-v2" || !path || !known || typeof id !== "string" || typeof head !== "string")
    return false;
  const [index, size] = [numberOf(proof["leaf_index"]), numberOf(proof["tree_size"])];
  return provesInclusion({ leaf: leafHash(id, head), index, size, path, root: known });
};

/** A checkpoint that somebody kept, if it is a good one; else what is wrong with it. */
export const readKeptCheckpoint = (text: string): Json | string => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  if (!isObject(value)) return "it is none";
  const defect = textDefect(text) ?? findCheckpointDefect(value, undefined);
  if (defect !== null) return defect;
  const header = Object.fromEntries(SIGNED_OF_CHECKPOINT.map((key) => [key, value[key]]));
  const signature = isObject(value["signature"]) ? value["signature"] : {};
  const good = isSignedBy(value["public_key"], stable(header), signature["signature"]);
  return good && signature["key_id"] === keyIdOf(value["public_key"]) ? value : "its signature does not verify";
};

/** Of the events that were taken, to what was signed about them. */
export class LogJoin {
  readonly #core: EvidenceCore;
  readonly #begin: number;
  /** The subtrees before the first event; null: not known. */
  #before: readonly Subtree[] | null;

  constructor(core: EvidenceCore) {
    this.#core = core;
    this.#begin = core.part.before ?? 0;
    this.#before = this.#begin === 0 ? [] : null;
  }

  /** What is wrong with how they are joined to the checkpoint; null: nothing. `trailer`: where the proofs stand. */
  findDefect(checkpoint: Json, trailer: Json): string | null {
    const { scope } = this.#core.part;
    if (scope === "correlation") return this.#correlationDefect(checkpoint, trailer["inclusion"]);
    const missing = numberOf(checkpoint["tree_size"]) - this.#core.size;
    if (scope === "log" && missing > 0) return `${missing} events that were signed are missing at its end`;
    return this.#stretchDefect(checkpoint, trailer["consistency"]);
  }

  /** Against a kept checkpoint; needs the subtrees that `findDefect` may have found. False: the two cannot be compared. */
  checkKept(kept: Json): boolean {
    const core = this.#core;
    if (this.#before === null) return false;
    if (numberOf(kept["tree_size"]) > core.size) {
      core.findings.fail("log", `the kept checkpoint counts ${numberOf(kept["tree_size"])} events, here are fewer`);
      return true;
    }
    if (core.marked === null) return false;
    const good = this.#rootOf(core.marked) === kept["root_hash"];
    core.findings.settle("log", good ? null : "it is not an extension of the kept checkpoint");
    return true;
  }

  #rootOf(subtrees: readonly Subtree[]): string {
    const all = [...(this.#before ?? [])];
    for (const subtree of subtrees) joinSubtree(all, subtree);
    return rootOf(all);
  }

  #correlationDefect(checkpoint: Json, inclusion: unknown): string | null {
    if (!isObject(inclusion)) return "there is no proof that the log holds it";
    const isLast =
      inclusion["head_hash"] === this.#core.lastHash &&
      inclusion["correlation_id"] === this.#core.part.correlationId &&
      inclusion["tree_size"] === checkpoint["tree_size"];
    const good = isLast && isIncluded(inclusion, checkpoint["root_hash"]);
    return good ? null : "its last event is not in the log that was signed";
  }

  #stretchDefect(checkpoint: Json, consistency: unknown): string | null {
    const { size, subtrees } = this.#core;
    const proofs = (Array.isArray(consistency) ? consistency : []).filter(isObject);
    if (this.#begin > 0 && size === this.#begin) return null;
    if (this.#begin > 0) {
      const proof = proofs.shift();
      const isOf = proof?.["first_size"] === this.#begin && proof["second_size"] === size;
      this.#before = proof !== undefined && isOf ? subtreesOfConsistency(proof) : null;
      if (this.#before === null || this.#rootOf(subtrees) !== proof?.["second_root"])
        return "there is no proof of what was before its first event";
    }
    const here = { size, root: this.#rootOf(subtrees) };
    const signed = { size: checkpoint["tree_size"], root: checkpoint["root_hash"] };
    if (signed.size === here.size) return here.root === signed.root ? null : "it is not the log that was signed";
    const [older, newer] = numberOf(signed.size) < here.size ? [signed, here] : [here, signed];
    const proof = proofs.shift();
    const joins =
      proof !== undefined &&
      proof["first_size"] === older.size &&
      proof["first_root"] === older.root &&
      proof["second_size"] === newer.size &&
      proof["second_root"] === newer.root &&
      subtreesOfConsistency(proof) !== null;
    return joins ? null : "there is no proof that it and the log that was signed are one";
  }
}
