/** A small signed log in memory, made by the code that makes the real ones, for tests of those who read it. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { signerOf, type Signer } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";
import { makeCheckpoint } from "../checkpoint.ts";
import { contentHashOfLine, correlationOfLine } from "../event-line.ts";
import { exportEvidence, type ExportOptions } from "../export-evidence.ts";
import { consistencyPath } from "../tree/consistency-path.ts";
import { inclusionPath } from "../tree/inclusion-path.ts";
import { rootOf, type SubtreeAt } from "../tree/subtree.ts";
import { leafHash, nodeHash } from "../tree/tree-hash.ts";
import type { Json, LogTree } from "./archive-parts.ts";
import { composeBundle } from "./compose-bundle.ts";

const HOST = "test-host";
const SEED = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
export const SIGNER = signerOf(SEED);
const AT = "2026-11-16T10:00:00.000Z";

export const testVector = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`../../../test/vectors/${name}`, import.meta.url), "utf8")) as Json;

export const attest = (signer: Signer, hostId = HOST): Json => {
  const { publicKey: public_key, keyId: key_id } = signer;
  const signed = { host_id: hostId, public_key, key_id, valid_from: "2026-01-01T00:00:00.000Z", valid_until: null };
  return { ...signed, signature: signer.sign(stable(signed)) };
};

export const identityOf = (signer: Signer): Json => ({
  assurance: "signed",
  key_id: signer.keyId,
  public_key: signer.publicKey,
  host_identity: attest(signer),
});

/** With its cover, its hash and its place in the chain. */
const seal = (event: Json, prevHash: string | null): string => {
  const payloadText = stable(event["payload"]);
  const cover = { ...event, payload: undefined, payload_commitment: hash("sha256", payloadText) };
  const eventId = `evt_c1_${hash("sha256", stable(cover))}`;
  const { correlation_id: correlationId } = event["correlation"] as Json;
  const hashed = {
    event_id: eventId,
    event_type: event["event_type"],
    invocation_id: event["invocation_id"],
    capability_id: event["capability_id"],
    host_id: event["host_id"],
    correlation_id: correlationId,
    timestamp: event["timestamp"],
    outcome: event["outcome"],
    payload_commitment: cover.payload_commitment,
    prev_hash: prevHash,
  };
  const content_hash = hash("sha256", stable(hashed));
  return stable({ ...cover, payload: event["payload"], event_id: eventId, prev_hash: prevHash, content_hash });
};

export interface MadeEvent {
  readonly correlation?: string;
  readonly type?: string;
  readonly more?: Json;
}

const bare = (
  sequence: number,
  { correlation = "corr_a", type = "execution_completed", more = {} }: MadeEvent,
): Json => ({
  event_type: type,
  invocation_id: `inv_${correlation}`,
  capability_id: "everything__echo",
  capability_version: "1.0.0",
  host_id: HOST,
  correlation: {
    baggage: {},
    causation_id: null,
    correlation_id: correlation,
    environment: "test",
    parent_correlation_id: null,
    trace_id: null,
  },
  timestamp: new Date(Date.parse("2026-11-16T09:00:00.000Z") + sequence).toISOString(),
  sequence,
  outcome: "success",
  payload: { capability_uri: "everything__echo:1.0.0", duration_ms: 3, tool: "everything__echo" },
  redacted: false,
  error: null,
  denial: null,
  subject: { door: "mcp", id: "agent://mcp-client", type: "agent", verified: true, workspace: "ws_default" },
  assurance: { evidence_policy: "before-execution", level: "S2", notes: ["bailiwick-cover-v1"] },
  hash_scheme: "chp-event-hash-v2",
  ...more,
});

export const makeLines = (events: readonly MadeEvent[]): string[] => {
  const heads = new Map<string, string>();
  return events.map((event, i) => {
    const { correlation = "corr_a" } = event;
    const line = seal(bare(i + 1, event), heads.get(correlation) ?? null);
    heads.set(correlation, contentHashOfLine(line));
    return line;
  });
};

/** Over these lines, with nothing stored. */
export const treeOf = (lines: readonly string[], checkpoints: readonly string[] = []): LogTree => {
  const leaves = lines.map((line) => leafHash(correlationOfLine(line), contentHashOfLine(line)));
  const at: SubtreeAt = (height, index) =>
    height === 0
      ? (leaves[index] ?? Buffer.alloc(32))
      : nodeHash(at(height - 1, 2 * index), at(height - 1, 2 * index + 1));
  const hex = (hashes: readonly Buffer[]): string[] => hashes.map((each) => each.toString("hex"));
  return {
    size: () => lines.length,
    root: (size) => rootOf(at, size).toString("hex"),
    inclusion: (sequence, size) => hex(inclusionPath(at, sequence - 1, size)),
    consistency: (first, second) => hex(consistencyPath(at, first, second)),
    leafCheck: () => (sequence, leaf) => leaves[sequence - 1]?.equals(leaf) ?? false,
    checkpoints: () => checkpoints,
    latestCheckpoint: () => checkpoints.at(-1) ?? null,
  };
};

export const checkpointOf = (lines: readonly string[], size = lines.length, signer = SIGNER): string =>
  makeCheckpoint({ hostId: HOST, size, root: treeOf(lines).root(size), at: AT }, signer);

export const makeBundle = (lines: readonly string[], options: { payloads?: boolean; signer?: Signer } = {}): string => {
  const { payloads = true, signer = SIGNER } = options;
  const [first = ""] = lines;
  return [
    ...composeBundle({
      hostId: HOST,
      correlationId: correlationOfLine(first),
      asOf: 1000,
      lines: () => lines,
      checkLine: () => undefined,
      payloads,
      signer,
      attestation: attest(signer),
      at: AT,
    }),
  ].join("");
};

export interface MadeExport extends Omit<ExportOptions, "hostId" | "seal"> {
  readonly signer?: Signer;
  readonly identity?: Json;
  /** How many events the checkpoint covers; default: all. */
  readonly signed?: number;
}

/** Lines of a sealed export. */
export const makeExport = (lines: readonly string[], options: MadeExport = {}): string[] => {
  const { signer = SIGNER, identity = identityOf(signer), signed = lines.length, ...rest } = options;
  const reader = {
    last: () => lines.length,
    range: (from: number, to: number) => lines.slice(from - 1, to),
    byCorrelation: (id: string) => lines.filter((line) => correlationOfLine(line) === id),
  };
  const checkpoint = JSON.parse(checkpointOf(lines, signed, signer)) as Json;
  return [...exportEvidence(reader, { hostId: HOST, ...rest, seal: { identity, checkpoint, tree: treeOf(lines) } })];
};
