/**
 * The checkpoints of the log, made by its writer: after so many events, after a while, at the end, on demand. When the log
 * is opened the last one must still be true, or somebody has changed the log.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { signerOf, type Signer } from "../kernel/signing.ts";
import { makeCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { rootOf } from "./tree/subtree.ts";
import { subtreesOf } from "./tree/stored-subtrees.ts";
import type { TileTree } from "./tree/tile-tree.ts";

const EVERY_EVENTS = 1000;

/** What the log signs its checkpoints with. */
export interface SigningMaterial {
  /** 32 bytes. */
  readonly seed: Uint8Array;
  /** Every public key this host has had, base64; a checkpoint of another one is foreign. */
  readonly publicKeys: readonly string[];
}

export class CheckpointTable {
  readonly #hostId: string;
  readonly #tree: TileTree;
  readonly #insert: StatementSync;
  readonly #at: StatementSync;
  #signer: Signer | null;
  #last: number;

  /** Throws an Error fit for people when the last checkpoint is not true of the log any more. */
  constructor(db: DatabaseSync, tree: TileTree, options: { hostId: string; signing: SigningMaterial | null }) {
    this.#hostId = options.hostId;
    this.#tree = tree;
    this.#signer = options.signing && signerOf(Buffer.from(options.signing.seed));
    this.#insert = db.prepare("INSERT INTO checkpoint (tree_size, text) VALUES (?, ?)");
    this.#at = db.prepare("SELECT text FROM checkpoint WHERE tree_size = ?");
    const row = db.prepare("SELECT tree_size, text FROM checkpoint ORDER BY tree_size DESC LIMIT 1").get();
    this.#last = Number(row?.["tree_size"] ?? 0);
    if (row !== undefined && options.signing !== null) {
      const lie = lieOf(db, { text: String(row["text"]), size: tree.size, publicKeys: options.signing.publicKeys });
      if (lie !== null)
        throw new Error(`the log was changed: the checkpoint of event ${this.#last} is not true of it, ${lie}`);
    }
  }

  /** Events that no checkpoint covers. */
  get unsigned(): number {
    return this.#signer === null ? 0 : this.#tree.size - this.#last;
  }

  get isDue(): boolean {
    return this.unsigned >= EVERY_EVENTS;
  }

  /** From now on this key signs. */
  useSigner(signing: SigningMaterial): void {
    this.#signer = signerOf(Buffer.from(signing.seed));
  }

  /** The text of the checkpoint of the log as it is now; inside a transaction. Null: there is no key, or no event. */
  make(at: string): string | null {
    const size = this.#tree.size;
    if (this.#signer === null || size === 0) return null;
    if (size === this.#last) return String(this.#at.get(size)?.["text"]);
    const head = { hostId: this.#hostId, size, root: this.#tree.root().toString("hex"), at };
    const text = makeCheckpoint(head, this.#signer);
    this.#insert.run(size, text);
    this.#last = size;
    return text;
  }
}

interface Claimed {
  readonly text: string;
  readonly size: number;
  readonly publicKeys: readonly string[];
}

const lieOf = (db: DatabaseSync, { text, size, publicKeys }: Claimed): string | null => {
  const claim = readCheckpoint(text, publicKeys);
  if (typeof claim === "string") return claim;
  if (claim.treeSize > size) return `the log ends at event ${size}`;
  const root = rootOf(subtreesOf(db), claim.treeSize).toString("hex");
  return root === claim.rootHash ? null : "its events have another root";
};
