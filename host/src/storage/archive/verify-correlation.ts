/** One correlation checked from its stored bytes: by itself, as part of the log, and the log against its last checkpoint. */
import { inclusionOf } from "../export-evidence.ts";
import { EvidenceCore } from "../verify-evidence-core.ts";
import { isIncluded, readKeptCheckpoint } from "../verify-evidence-proofs.ts";
import type { Json, LogTree } from "./archive-parts.ts";
import { eachInTurns } from "./in-turns.ts";

export interface StoredCorrelation {
  readonly hostId: string;
  readonly correlationId: string;
  readonly lines: Iterable<string>;
  /** Which of them are counted; all are checked. */
  readonly counts: (event: Json) => boolean;
  readonly tree: LogTree;
  /** The text of the newest checkpoint; null: there is none. */
  readonly checkpoint: string | null;
}

/** Damaged bytes are an answer too: what cannot be read is no event. */
const parse = (line: string): Json => {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return {};
  }
};

const state = (good: boolean): "pass" | "fail" => (good ? "pass" : "fail");

/** Whether the checkpoint is good and the log still has its root; null: neither. */
const readTrue = ({ checkpoint, tree, hostId }: StoredCorrelation): Json | null => {
  const kept = checkpoint === null ? "" : readKeptCheckpoint(checkpoint);
  if (typeof kept === "string" || kept["host_id"] !== hostId) return null;
  const size = Number(kept["tree_size"]);
  return size <= tree.size() && tree.root(size) === kept["root_hash"] ? kept : null;
};

export const verifyCorrelation = async (stored: StoredCorrelation): Promise<Json> => {
  const { hostId, correlationId, lines, counts, tree } = stored;
  const core = new EvidenceCore();
  core.begin({ scope: "correlation", correlationId, hostId });
  const size = tree.size();
  const root = tree.root(size);
  let counted = 0;
  let broken = 0;
  let firstBroken: number | null = null;
  await eachInTurns(lines, (line) => {
    const before = core.findings.failures;
    const event = parse(line);
    const isCounted = counts(event);
    if (isCounted) counted++;
    const { sequence: given, content_hash: hash } = event;
    const sequence = typeof given === "number" ? given : Number.NaN;
    const own = { correlationId, headHash: typeof hash === "string" ? hash : "", sequence };
    const isKnown = core.take(event, line) && sequence >= 1;
    // What came after the tree was looked at is for the next time.
    const isIn = isKnown && (sequence > size || isIncluded(inclusionOf(tree, own, size), root));
    core.findings.settle("log", isIn ? null : "the log does not hold it", sequence);
    if (core.findings.failures === before) return true;
    if (isCounted) broken++;
    firstBroken ??= Number.isNaN(sequence) ? null : sequence;
    return true;
  });
  const { event_hashes: hashes, chain, cover, payload_commitments: payloads, sequence, log } = core.findings.checks;
  const checkpoint = stored.checkpoint === null ? "absent" : state(readTrue(stored) !== null);
  const eventHashes = [hashes, payloads, sequence].includes("fail") ? "fail" : hashes;
  const all = { event_hashes: eventHashes, chain, cover, log, checkpoint };
  return {
    valid: !Object.values(all).includes("fail"),
    correlation_id: correlationId,
    event_count: counted,
    verified_count: counted - broken,
    unverified_count: broken,
    first_broken_sequence: firstBroken,
    checks: all,
  };
};
