/**
 * The log, or a part of it, as JSON Lines: a header, one event a line as stored, a trailer with their number. The header
 * says what the part is, so that a verifier knows whether a gap is one.
 */
import { stable } from "../kernel/stable.ts";
import type { EvidenceReader } from "./read-evidence.ts";

export interface ExportOptions {
  readonly hostId: string;
  /** Only this correlation. */
  readonly correlation?: string;
  /** First and last sequence; the whole log when both are absent. */
  readonly from?: number;
  readonly to?: number;
}

/** Lines without line ends. */
export function* exportEvidence(reader: EvidenceReader, options: ExportOptions): Iterable<string> {
  const { hostId, correlation } = options;
  const whole = options.from === undefined && options.to === undefined;
  const from = Math.max(1, options.from ?? 1);
  const to = Math.min(options.to ?? Infinity, reader.last());
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
  });
  let count = 0;
  for (const line of correlation === undefined ? reader.range(from, to) : reader.byCorrelation(correlation)) {
    count++;
    yield line;
  }
  yield stable({ count });
}
