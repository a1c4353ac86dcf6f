/** The evidence of a work directory, read and checked without a host, whether or not one runs. Writes nothing to the log. */
import { exportEvidence } from "../storage/export-evidence.ts";
import { openEvidenceReader, type EvidenceReader } from "../storage/read-evidence.ts";
import { readLines } from "../storage/read-lines.ts";
import { verifyEvidence, type Verification } from "../storage/verify-evidence.ts";

export type { Verification } from "../storage/verify-evidence.ts";

export interface Evidence {
  last(): number;
  /** Event lines, oldest first. */
  tail(limit: number): readonly string[];
  range(from: number, to: number): Iterable<string>;
  /** By sequence, event id, correlation id or invocation id; empty when there is none. */
  find(id: string): Iterable<string>;
  verify(): Verification;
  /** Lines of a JSONL export, its header and trailer included. */
  export(correlation: string | undefined): Iterable<string>;
  close(): void;
}

/** Refusal `not_found` when there is no log. */
export const openEvidence = (workDir: string): Evidence => {
  const reader = openEvidenceReader(workDir);
  return {
    last: () => reader.last(),
    tail: (limit) => reader.tail(limit),
    range: (from, to) => reader.range(from, to),
    find: (id) => find(reader, id),
    verify: () => verifyEvidence(reader.range(1, reader.last())),
    export: (correlation) =>
      exportEvidence(reader, { hostId: hostIdOf(reader), ...(correlation === undefined ? {} : { correlation }) }),
    close: () => reader.close(),
  };
};

/** Throws when the file cannot be read at all; whatever it holds is an answer. */
export const verifyEvidenceFile = (file: string): Verification => verifyEvidence(readLines(file));

function* find(reader: EvidenceReader, id: string): Iterable<string> {
  const single = /^\d{1,15}$/.test(id) ? reader.byId(Number(id)) : id.startsWith("evt_") ? reader.byId(id) : null;
  if (single !== null) {
    yield single;
    return;
  }
  let count = 0;
  for (const line of reader.byCorrelation(id)) {
    count++;
    yield line;
  }
  if (count === 0) yield* reader.byInvocation(id);
}

/** The log itself knows whose it is; an empty one is nobody's. */
const hostIdOf = (reader: EvidenceReader): string => {
  const [line] = reader.tail(1);
  return line === undefined ? "" : (JSON.parse(line) as { host_id: string }).host_id;
};
