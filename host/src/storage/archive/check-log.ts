/**
 * Before anything of the log is signed: the log must still be what the host signed last, and an event the one that the log
 * holds. Otherwise the host would vouch for what somebody else wrote.
 */
import { Refusal } from "../../kernel/refusal.ts";
import { readCheckpoint } from "../checkpoint.ts";
import { contentHashOfLine } from "../event-line.ts";
import { leafHash } from "../tree/tree-hash.ts";
import { EvidenceCore } from "../verify-evidence-core.ts";
import type { ArchiveOptions, Json } from "./archive-parts.ts";

export interface CheckedLog {
  /** How many events it has. */
  readonly size: number;
  /** Throws the Refusal for a line that is not as the host recorded it. Lines of one correlation, in order. */
  readonly checkLine: (line: string) => void;
}

type Parts = Pick<ArchiveOptions, "hostId" | "tree" | "key">;

const changed = (why: string): Refusal =>
  new Refusal("evidence_unavailable", {
    message: `The evidence log was changed: ${why}. The host signs nothing of it.`,
    next: "Run `bailiwick evidence verify` on the host to see where, and restore evidence.db from a backup.",
  });

/** What cannot be read is no event. */
const parse = (line: string): Json => {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return {};
  }
};

const ownKeys = (identity: Json): readonly string[] => {
  const history = (identity["key_history"] ?? []) as readonly Json[];
  return [String(identity["public_key"]), ...history.map((step) => String(step["old_public_key"]))];
};

const lastSigned = ({ tree, key }: Parts, size: number): { readonly size: number; readonly root: string } | null => {
  const text = tree.latestCheckpoint();
  if (text === null) return null;
  const claim = readCheckpoint(text, ownKeys(key.identity()));
  if (typeof claim === "string") throw changed(`its last checkpoint does not count, ${claim}`);
  const { treeSize, rootHash } = claim;
  if (treeSize > size) throw changed(`it ends at event ${size}, but ${treeSize} events were signed`);
  if (tree.root(treeSize) !== rootHash) throw changed(`its first ${treeSize} events are not those that were signed`);
  return { size: treeSize, root: rootHash };
};

/** Throws the Refusal when the log is not the one that was signed last. */
export const checkLog = (parts: Parts, correlationId: string | null = null): CheckedLog => {
  const { tree, hostId } = parts;
  const size = tree.size();
  const signed = lastSigned(parts, size);
  const isSigned = signed && tree.leafCheck(signed.size, signed.root);
  const isLater = tree.leafCheck(size, tree.root(size));
  const core = new EvidenceCore();
  core.begin({ scope: "correlation", correlationId: correlationId ?? "", hostId });
  return {
    size,
    checkLine: (line) => {
      const event = parse(line);
      const sequence = typeof event["sequence"] === "number" ? event["sequence"] : Number.NaN;
      const leaf = leafHash(correlationId ?? "", contentHashOfLine(line));
      const holds = isSigned && sequence <= signed.size ? isSigned : isLater;
      const isGood = core.take(event, line) && core.findings.failures === 0 && holds(sequence, leaf);
      if (!isGood) throw changed(`event ${sequence} is not as it was recorded`);
    },
  };
};
