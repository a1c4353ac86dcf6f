/** What reading, proving and exporting need of the store, and nothing else of it. */
import type { EvidenceLog, HostState } from "../../kernel/evidence.ts";
import type { Signer } from "../../kernel/signing.ts";
import type { EvidenceReader } from "../read-evidence.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The log's tree of hashes. Sizes count events; one above the newest is an error of the caller. */
export interface LogTree {
  size(): number;
  /** Hex of the root over the first `size` events. */
  root(size: number): string;
  /** The path from the event with this sequence to the root of that size, in hex. */
  inclusion(sequence: number, size: number): readonly string[];
  consistency(first: number, second: number): readonly string[];
  /** Says of the leaf of a sequence whether the tree of this size, with this root in hex, has it there. */
  leafCheck(size: number, root: string): (sequence: number, leaf: Buffer) => boolean;
  /** Texts, oldest first, from this tree size on. */
  checkpoints(from: number, limit: number): readonly string[];
  latestCheckpoint(): string | null;
}

/** The key of the host and what it says of itself. */
export interface HostKey {
  /** The key that signs now; null: this process has no use of it, and nothing is signed. */
  signer(): Signer | null;
  /** As `/.well-known/chp-identity` gives it out. */
  identity(): Json;
}

/** What an export is proved with. */
export interface ExportSeal {
  readonly identity: Json;
  readonly checkpoint: Json;
  readonly tree: LogTree;
}

/** A stretch of the log of which only the hashes are left. */
export interface PurgedLeaf {
  readonly sequence: number;
  /** Hex. */
  readonly leaf: string;
}

export interface ArchiveOptions {
  readonly hostId: string;
  readonly reader: EvidenceReader;
  readonly tree: LogTree;
  /** Of these sequences, both included, in order. */
  readonly purged: (from: number, to: number) => Iterable<PurgedLeaf>;
  readonly key: HostKey;
  readonly log: Pick<EvidenceLog, "append">;
  readonly state: HostState;
  /** Makes one now and gives its text; null: nothing is recorded yet. */
  readonly checkpoint: () => Promise<string | null>;
  /** The head of scheme v1 when the log had so many events; null when nobody knows it any more. */
  readonly headV1: (sequence: number) => Promise<string | null>;
  /** Base64 of the witness keys that are kept before all others. */
  readonly pinnedWitnesses: ReadonlySet<string>;
  /** Base64 of the keys whose revocations are always kept. */
  readonly pinnedPrincipals: ReadonlySet<string>;
}
