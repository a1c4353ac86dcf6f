/** An export in the format that was asked for, of what the one who asks may see. */
import type { ExportQuery } from "../../kernel/archive.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { exportEvidence } from "../export-evidence.ts";
import type { ArchiveOptions, Json } from "./archive-parts.ts";
import { checkLog } from "./check-log.ts";
import { composeBundle } from "./compose-bundle.ts";
import { csvText } from "./csv-text.ts";
import { inTurns } from "./in-turns.ts";
import { seesAll } from "./may-see.ts";
import { otelText } from "./otel-text.ts";
import { withholdPayload } from "./withhold-payload.ts";

export interface ForReader {
  readonly reader: Principal;
  readonly sees: (event: Json) => boolean;
  /** All of a correlation as it may be given out, or none of it; the same each time it is asked. */
  readonly whole: (correlationId: string) => Promise<() => Iterable<string>>;
}

export interface ExportedText {
  readonly type: string;
  readonly parts: AsyncIterable<string>;
}

type Parts = Pick<ArchiveOptions, "hostId" | "reader" | "tree" | "purged" | "key" | "checkpoint">;

const TYPES = {
  bundle: "application/json",
  jsonl: "application/jsonl",
  csv: "text/csv; charset=utf-8",
  otel: "application/json",
} as const;

const needsCorrelation = (): Refusal =>
  new Refusal("bad_request", {
    message: "A bundle holds one correlation, and none was named.",
    next: "Add correlation=<id>, or use format=jsonl for the whole log.",
  });

const needsPermission = (): Refusal =>
  new Refusal("permission_missing", {
    message: "The whole log, and a part of it that is not one correlation, is for readers of all evidence.",
    next: "Ask the operator for the permission evidence:read, or name one correlation of your own calls.",
    details: { required_permission: "evidence:read", missing: ["evidence:read"] },
  });

/** Lines of what was asked for, as tables and traces take them: what may not be seen is left out. */
function* seenLines({ reader }: Parts, query: ExportQuery, { sees }: ForReader): Iterable<string> {
  const { correlation, from = 1, to = Infinity, payloads } = query;
  const last = Math.min(to, reader.last());
  for (const line of correlation === undefined ? reader.range(from, last) : reader.byCorrelation(correlation)) {
    const event = JSON.parse(line) as Json;
    const sequence = Number(event["sequence"]);
    if (sequence >= from && sequence <= last && sees(event)) yield payloads ? line : withholdPayload(line);
  }
}

function* withLineEnds(lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield `${line}\n`;
}

async function* bundleOf(parts: Parts, correlationId: string, order: BundleOrder): AsyncIterable<string> {
  const signer = parts.key.signer();
  // The newest events are under a checkpoint then, and can be checked as well.
  if (signer !== null) await parts.checkpoint();
  const checked = signer && checkLog(parts, correlationId);
  const asOf = checked?.size ?? parts.reader.last();
  const lines = await order.whole(correlationId);
  yield* inTurns(
    composeBundle({
      hostId: parts.hostId,
      correlationId,
      asOf,
      lines: () => upTo(lines(), asOf),
      payloads: order.payloads,
      checkLine: (line) => checked?.checkLine(line),
      signer,
      attestation: (parts.key.identity()["host_identity"] ?? null) as Json | null,
      at: new Date().toISOString(),
    }),
  );
}

type BundleOrder = Pick<ExportQuery, "payloads"> & Pick<ForReader, "whole">;

/** What cannot be read has no sequence, and is left to those who check it. */
function* upTo(lines: Iterable<string>, last: number): Iterable<string> {
  for (const line of lines) if (!(sequenceOf(line) > last)) yield line;
}

const sequenceOf = (line: string): number => {
  try {
    return Number((JSON.parse(line) as Json)["sequence"]);
  } catch {
    return Number.NaN;
  }
};

/** The checkpoint first, so that all that was there when somebody asked is signed; proofs join what came since. */
async function* jsonlOf(parts: Parts, query: ExportQuery, { whole }: ForReader): AsyncIterable<string> {
  const { hostId, reader, tree, purged, key } = parts;
  const { correlation, from, to, payloads } = query;
  const text = await parts.checkpoint();
  const checkpoint = text === null ? null : (JSON.parse(text) as Json);
  const lines = correlation === undefined ? null : await whole(correlation);
  const signed = checkpoint === null ? Infinity : Number(checkpoint["tree_size"]);
  const source = {
    last: () => reader.last(),
    range: (first: number, last: number) => reader.range(first, last),
    byCorrelation: () => (lines === null ? [] : upTo(lines(), signed)),
  };
  const options = {
    hostId,
    payloads,
    purged,
    ...(correlation === undefined ? {} : { correlation }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(checkpoint === null ? {} : { seal: { identity: key.identity(), checkpoint, tree } }),
  };
  yield* inTurns(withLineEnds(exportEvidence(source, options)));
}

export const exportText = (parts: Parts, query: ExportQuery, reader: ForReader): ExportedText => {
  const type = TYPES[query.format];
  if (query.format === "bundle") {
    if (query.correlation === undefined) throw needsCorrelation();
    return { type, parts: bundleOf(parts, query.correlation, { ...query, ...reader }) };
  }
  if (query.format === "csv") return { type, parts: inTurns(csvText(seenLines(parts, query, reader))) };
  if (query.format === "otel") return { type, parts: inTurns(otelText(seenLines(parts, query, reader), parts.hostId)) };
  if (query.correlation === undefined && !seesAll(reader.reader)) throw needsPermission();
  return { type, parts: jsonlOf(parts, query, reader) };
};
