/**
 * Roots and proofs of the log's tree, from any process, while the host runs or not. Each answer reads a few tiles, however
 * long the log is. Sizes are sequences: the tree of size n is over the events 1 to n.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Refusal } from "../../kernel/refusal.ts";
import { EVIDENCE_FILE } from "../evidence-schema.ts";
import { consistencyPath } from "./consistency-path.ts";
import { inclusionPath } from "./inclusion-path.ts";
import { provesInclusion } from "./proves-inclusion.ts";
import { subtreesOf } from "./stored-subtrees.ts";
import { rootOf, type SubtreeAt } from "./subtree.ts";
import { TILE_HASHES } from "./tile.ts";
import { HASH_BYTES } from "./tree-hash.ts";

const BUSY_MS = 2000;

export class TreeReader {
  readonly #db: DatabaseSync;
  readonly #checkpoints: StatementSync;

  /** Refusal `not_found` when there is no log in the directory. */
  constructor(dir: string) {
    const path = join(dir, EVIDENCE_FILE);
    if (!existsSync(path)) {
      throw new Refusal("not_found", {
        message: `There is no evidence log in ${dir} yet.`,
        next: "Start the host with `bailiwick serve` and make a call, or name its work directory with --workdir.",
      });
    }
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    try {
      this.#checkpoints = this.#db.prepare(
        "SELECT text FROM checkpoint WHERE tree_size >= ? ORDER BY tree_size LIMIT ?",
      );
    } catch {
      this.#db.close();
      throw new Refusal("not_found", {
        message: `The evidence log in ${dir} was written by an earlier version and has no tree yet.`,
        next: "Start the host once with `bailiwick serve`; it brings the log up to date.",
      });
    }
  }

  /** The newest size. */
  size(): number {
    const row = this.#db.prepare("SELECT first + count - 1 AS last FROM batch ORDER BY first DESC LIMIT 1").get();
    return Number(row?.["last"] ?? 0);
  }

  /** Hex. `size` is at most the newest. */
  root(size: number): string {
    return this.#read((at) => rootOf(at, size).toString("hex"));
  }

  /** The audit path of an event in the tree of a size that holds it. */
  inclusion(sequence: number, size: number): string[] {
    return this.#read((at) => hex(inclusionPath(at, sequence - 1, size)));
  }

  /** `first` is at most `second`. */
  consistency(first: number, second: number): string[] {
    return this.#read((at) => hex(consistencyPath(at, first, second)));
  }

  /**
   * Says of the leaf of a sequence whether the tree of this size, with this root, has it there. The tile of a leaf is proved
   * as a whole, once for those that are asked for in order.
   */
  leafCheck(size: number, root: string): (sequence: number, leaf: Buffer) => boolean {
    let known = { tile: -1, leaves: Buffer.alloc(0) };
    return (sequence, leaf) => {
      const tile = Math.floor((sequence - 1) / TILE_HASHES);
      if (tile !== known.tile) known = { tile, leaves: this.#provedTile(tile, size, root) };
      const start = ((sequence - 1) % TILE_HASHES) * HASH_BYTES;
      return known.leaves.subarray(start, start + HASH_BYTES).equals(leaf);
    };
  }

  /** Empty when it is not in the tree. */
  #provedTile(tile: number, size: number, root: string): Buffer<ArrayBuffer> {
    const index = tile * TILE_HASHES;
    if (index < 0 || index >= size) return Buffer.alloc(0);
    return this.#read((at) => {
      const count = Math.min(TILE_HASHES, size - index);
      const leaves = Array.from({ length: count }, (_, i) => at(0, index + i));
      const claim = { leaf: at(0, index), index, size, path: inclusionPath(at, index, size) };
      // The way up from one leaf takes in all the others of its tile.
      return provesInclusion({ ...claim, root: Buffer.from(root, "hex") }) ? Buffer.concat(leaves) : Buffer.alloc(0);
    });
  }

  /** Texts, oldest first, from this tree size on. */
  checkpoints(from: number, limit: number): string[] {
    return this.#checkpoints.all(from, limit).map((row) => String(row["text"]));
  }

  latestCheckpoint(): string | null {
    const row = this.#db.prepare("SELECT text FROM checkpoint ORDER BY tree_size DESC LIMIT 1").get();
    return row === undefined ? null : String(row["text"]);
  }

  close(): void {
    this.#db.close();
  }

  /** One view of the file for all that an answer needs. */
  #read<Answer>(answer: (at: SubtreeAt) => Answer): Answer {
    this.#db.exec("BEGIN");
    try {
      return answer(subtreesOf(this.#db));
    } finally {
      this.#db.exec("COMMIT");
    }
  }
}

const hex = (hashes: readonly Buffer[]): string[] => hashes.map((each) => each.toString("hex"));
