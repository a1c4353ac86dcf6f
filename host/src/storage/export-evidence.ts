/**
 * The log, or a part of it, as JSON Lines: a header, one event a line as stored, a trailer with their number and what proves
 * them: the signed checkpoint, and how this part is joined to it. The header says what the part is, so that a verifier
 * knows whether a gap is one.
 */
import { stable } from "../kernel/stable.ts";
import type { ExportSeal, Json, LogTree, PurgedLeaf } from "./archive/archive-parts.ts";
import { withholdPayload } from "./archive/withhold-payload.ts";
import { contentHashOfLine } from "./event-line.ts";
import type { EvidenceReader } from "./read-evidence.ts";

export interface ExportOptions {
  readonly hostId: string;
  /** Only this correlation. */
  readonly correlation?: string;
  /** First and last sequence; the whole log when both are absent. */
  readonly from?: number;
  readonly to?: number;
  /** False: payloads are withheld. */
  readonly payloads?: boolean;
  /** Absent: nothing is signed. */
  readonly seal?: ExportSeal;
  /** Events of which only the hash is left; absent: there are none. */
  readonly purged?: (from: number, to: number) => Iterable<PurgedLeaf>;
}

export type ExportSource = Pick<EvidenceReader, "last" | "range" | "byCorrelation">;

export const consistencyOf = (tree: LogTree, first: number, second: number): Json => ({
  scheme: "chp-store-head-v2",
  first_size: first,
  second_size: second,
  first_root: tree.root(first),
  second_root: tree.root(second),
  proof: tree.consistency(first, second),
});

export interface Included {
  readonly correlationId: string;
  readonly headHash: string;
  readonly sequence: number;
}

export const inclusionOf = (tree: LogTree, { correlationId, headHash, sequence }: Included, size: number): Json => ({
  scheme: "chp-store-head-v2",
  correlation_id: correlationId,
  head_hash: headHash,
  leaf_index: sequence - 1,
  tree_size: size,
  audit_path: tree.inclusion(sequence, size),
});

/** How events `from` to `to` are joined to the log that was signed. */
const joinsOf = ({ tree, checkpoint }: ExportSeal, from: number, to: number): Json[] | undefined => {
  const size = Number(checkpoint["tree_size"]);
  const joins = from > 1 ? [consistencyOf(tree, from - 1, to)] : [];
  if (size !== to) joins.push(consistencyOf(tree, Math.min(size, to), Math.max(size, to)));
  return joins.length === 0 ? undefined : joins;
};

const sequenceOf = (line: string): number => (JSON.parse(line) as { sequence: number }).sequence;

/** The trailer of a correlation: its last event, if that was signed already. */
const provedCorrelation = (seal: ExportSeal, correlationId: string, last: string): Json => {
  const size = Number(seal.checkpoint["tree_size"]);
  const sequence = sequenceOf(last);
  if (sequence > size) return {};
  const inclusion = inclusionOf(seal.tree, { correlationId, headHash: contentHashOfLine(last), sequence }, size);
  return { checkpoint: seal.checkpoint, inclusion };
};

/** With a line in the place of each event that was purged. */
function* stretch(
  reader: ExportSource,
  { from, to }: { readonly from: number; readonly to: number },
  { purged }: ExportOptions,
): Iterable<string> {
  const gone = (purged?.(from, to) ?? [])[Symbol.iterator]();
  let next = gone.next();
  for (const line of reader.range(from, to)) {
    while (next.done !== true && next.value.sequence < sequenceOf(line)) {
      yield stable(next.value);
      next = gone.next();
    }
    yield line;
  }
  for (; next.done !== true; next = gone.next()) yield stable(next.value);
}

/** Lines without line ends. */
export function* exportEvidence(reader: ExportSource, options: ExportOptions): Iterable<string> {
  const { hostId, correlation, seal } = options;
  const whole = options.from === undefined && options.to === undefined;
  const from = Math.max(1, options.from ?? 1);
  const to = Math.max(from - 1, Math.min(options.to ?? Infinity, reader.last()));
  yield stable({
    kind: "evidence-export",
    version: 1,
    host_id: hostId,
    exported_at: new Date().toISOString(),
    canonicalization: "chp-stable-v1",
    scope: correlation !== undefined ? "correlation" : whole ? "log" : "range",
    correlation_id: correlation,
    from: correlation === undefined ? from : undefined,
    to: correlation === undefined ? to : undefined,
    identity: seal?.identity,
  });
  let count = 0;
  let last: string | null = null;
  const lines = correlation === undefined ? stretch(reader, { from, to }, options) : reader.byCorrelation(correlation);
  for (const line of lines) {
    count++;
    last = line;
    yield options.payloads === false ? withholdPayload(line) : line;
  }
  if (seal === undefined || last === null) yield stable({ count });
  else if (correlation !== undefined) yield stable({ count, ...provedCorrelation(seal, correlation, last) });
  else yield stable({ count, checkpoint: seal.checkpoint, consistency: joinsOf(seal, from, to) });
}
