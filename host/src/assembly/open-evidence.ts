/**
 * The evidence of a work directory, read, checked and written out without a host, whether or not one runs. Writes nothing to
 * the log. What is signed here is signed with the host's own key, if this user may read it.
 */
import type { ExportFormat } from "../kernel/archive.ts";
import type { Principal } from "../kernel/principal.ts";
import { checkLog } from "../storage/archive/check-log.ts";
import { EMPTY_TREE } from "../storage/archive/empty-log.ts";
import { exportText } from "../storage/archive/export-text.ts";
import { PurgedLeaves } from "../storage/archive/purged-leaves.ts";
import { readHostKey, type ReadHostKey } from "../storage/archive/read-host-key.ts";
import { traceOf } from "../storage/archive/trace-of.ts";
import { makeCheckpoint } from "../storage/checkpoint.ts";
import { exportEvidence } from "../storage/export-evidence.ts";
import { openEvidenceReader, type EvidenceReader } from "../storage/read-evidence.ts";
import { readPayload } from "../storage/read-payload.ts";
import { readLines } from "../storage/read-lines.ts";
import { TreeReader } from "../storage/tree/tree-reader.ts";
import { expectedKeyOf, readExpectedKey, type ExpectedKey } from "../storage/verify-evidence-key.ts";
import type { Verification, VerifyOptions } from "../storage/verify-evidence-result.ts";
import { verifyEvidence } from "../storage/verify-evidence.ts";

export type { Verification, VerifyOptions } from "../storage/verify-evidence-result.ts";
export type { ExpectedKey } from "../storage/verify-evidence-key.ts";

type Json = Readonly<Record<string, unknown>>;

export interface EvidenceExport {
  readonly format: ExportFormat;
  readonly correlation?: string;
  readonly from?: number;
  readonly to?: number;
  readonly payloads: boolean;
}

export interface Evidence {
  last(): number;
  /** Event lines, oldest first. */
  tail(limit: number): readonly string[];
  range(from: number, to: number): Iterable<string>;
  /** By sequence, event id, correlation id or invocation id; empty when there is none. */
  find(id: string): Iterable<string>;
  /** Arguments, result and salt that were kept with an event (`evidence.retainPayloads`), as JSON text; null: none were. */
  retained(sequence: number): string | null;
  /** The six steps of each invocation of a correlation. */
  trace(correlationId: string): Json;
  /** Against the newest checkpoint and the host's own key. */
  verify(options?: VerifyOptions): Verification;
  /** Text in pieces. */
  export(order: EvidenceExport): AsyncIterable<string>;
  /** The head of the log as it is now, signed, as text; where the key cannot be used, the newest one; null: there is none. */
  checkpoint(): string | null;
  /** Whether an export can be signed now. */
  readonly canSign: boolean;
  close(): void;
}

/** Who reads the files reads all of them. */
const OWNER: Principal = {
  id: "person:local",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: ["*"],
  assurance: "local",
  scopes: null,
  workspace: "ws_default",
  credentialId: "local",
};

/** A log of an earlier format has no tree until a host has opened it. */
const openTree = (dir: string): { readonly tree: TreeReader; readonly purged: PurgedLeaves } | null => {
  try {
    return { tree: new TreeReader(dir), purged: new PurgedLeaves(dir) };
  } catch {
    return null;
  }
};

class StoredEvidence implements Evidence {
  readonly canSign: boolean;
  readonly #workDir: string;
  readonly #reader: EvidenceReader;
  readonly #key: ReadHostKey | null;
  readonly #proofs: ReturnType<typeof openTree>;

  constructor(workDir: string, passphrase: string | null) {
    this.#workDir = workDir;
    this.#reader = openEvidenceReader(workDir);
    this.#key = readHostKey(workDir, passphrase);
    this.#proofs = openTree(workDir);
    this.canSign = this.#key !== null && this.#key.signer !== null && this.#proofs !== null;
  }

  last(): number {
    return this.#reader.last();
  }

  tail(limit: number): readonly string[] {
    return this.#reader.tail(limit);
  }

  range(from: number, to: number): Iterable<string> {
    return this.#reader.range(from, to);
  }

  find(id: string): Iterable<string> {
    return find(this.#reader, id);
  }

  retained(sequence: number): string | null {
    return readPayload(this.#workDir, sequence);
  }

  trace(correlationId: string): Json {
    return traceOf(
      correlationId,
      Array.from(this.#reader.byCorrelation(correlationId), (line) => JSON.parse(line) as Json),
    );
  }

  verify(options: VerifyOptions = {}): Verification {
    const text = this.#newest();
    const identity = this.#key?.identity;
    const own = identity === undefined ? null : expectedKeyOf(identity);
    const sealed =
      text !== null && identity !== undefined && this.#proofs !== null
        ? { seal: { identity, checkpoint: JSON.parse(text) as Json, tree: this.#proofs.tree } }
        : {};
    const purged = (from: number, to: number) => this.#proofs?.purged.between(from, to) ?? [];
    const lines = exportEvidence(this.#reader, { hostId: this.#hostId(), purged, ...sealed });
    return verifyEvidence(lines, { ...(own === null ? {} : { key: own }), ...options });
  }

  export(order: EvidenceExport): AsyncIterable<string> {
    const { parts } = exportText(
      {
        hostId: this.#hostId(),
        reader: this.#reader,
        tree: this.#proofs?.tree ?? EMPTY_TREE,
        purged: (from, to) => this.#proofs?.purged.between(from, to) ?? [],
        key: { signer: () => this.#key?.signer ?? null, identity: () => this.#key?.identity ?? {} },
        checkpoint: () => Promise.resolve(this.checkpoint()),
      },
      order,
      {
        reader: OWNER,
        sees: () => true,
        whole: (correlationId) => Promise.resolve(() => this.#reader.byCorrelation(correlationId)),
      },
    );
    return parts;
  }

  checkpoint(): string | null {
    const { signer } = this.#key ?? {};
    if (!signer || this.#proofs === null) return this.#newest();
    const { tree } = this.#proofs;
    const key = { signer: () => signer, identity: () => this.#key?.identity ?? {} };
    const { size } = checkLog({ hostId: this.#hostId(), tree, key });
    if (size === 0) return null;
    return makeCheckpoint(
      { hostId: this.#hostId(), size, root: tree.root(size), at: new Date().toISOString() },
      signer,
    );
  }

  close(): void {
    this.#reader.close();
    this.#proofs?.tree.close();
    this.#proofs?.purged.close();
  }

  /** That the host signed. */
  #newest(): string | null {
    return this.#proofs?.tree.latestCheckpoint() ?? null;
  }

  /** The log itself knows whose it is; an empty one is nobody's. */
  #hostId(): string {
    const [line] = this.#reader.tail(1);
    return line === undefined ? (this.#key?.hostId ?? "") : (JSON.parse(line) as { host_id: string }).host_id;
  }
}

/** Refusal `not_found` when there is no log. `passphrase`: of the host's key, where it is sealed. */
export const openEvidence = (workDir: string, passphrase: string | null = null): Evidence =>
  new StoredEvidence(workDir, passphrase);

/** Throws when the file cannot be read at all; whatever it holds is an answer. */
export const verifyEvidenceFile = (file: string, options: VerifyOptions = {}): Verification =>
  verifyEvidence(readLines(file), options);

/** Base64, or the text of a key file or an identity document; null: neither. */
export const readKey = (text: string): ExpectedKey | null => readExpectedKey(text);

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
