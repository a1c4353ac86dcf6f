/**
 * The evidence as it is read, proved and given out while the host runs. Whoever reads sees the events of their own calls,
 * or all with permission `evidence:read`; what one may not see is as if it were not there. Nothing here costs more because
 * the log is long, but for what asks for all of it.
 */
import type { Principal } from "./principal.ts";

type Json = Readonly<Record<string, unknown>>;

export interface ReplayQuery {
  readonly correlationId: string;
  /** 1 to 10,000. */
  readonly limit: number;
  /** Only later ones than this sequence. */
  readonly sinceSequence: number;
  readonly includePayloads: boolean;
}

export interface EventQuery {
  /** Only those of a call, a tool (capability id or flat name), a caller or a type; all that are given must hold. */
  readonly correlation?: string;
  readonly invocation?: string;
  readonly capability?: string;
  readonly subject?: string;
  readonly type?: string;
  readonly outcome?: string;
  /** Newest first, only older ones than this sequence. */
  readonly before?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly Json[];
  /** Where to go on, which a short page may say too; null: there are no more. */
  readonly before: number | null;
}

export type ExportFormat = "bundle" | "jsonl" | "csv" | "otel";

export interface ExportQuery {
  readonly format: ExportFormat;
  readonly correlation?: string;
  /** Sequences, both included. */
  readonly from?: number;
  readonly to?: number;
  /** False: payloads are withheld, and everything still verifies. */
  readonly payloads: boolean;
}

export type HeadScheme = "chp-store-head-v1" | "chp-store-head-v2";

/** Each answer is an object as it goes onto the wire. A refusal is thrown. Long reads let others have their turns. */
export interface Archive {
  /** The newest sequence. */
  last(): number;
  /** As `/.well-known/chp-identity` gives it out. */
  identity(): Json;
  /** `replay-result.schema.json` */
  replay(reader: Principal, query: ReplayQuery): Promise<Json>;
  /** Newest first. */
  events(reader: Principal, query: EventQuery): Promise<EventPage>;
  /** By event id or sequence. */
  event(reader: Principal, id: string): Promise<Json | null>;
  /** The six steps of each invocation of a correlation. */
  trace(reader: Principal, correlationId: string): Promise<Json>;
  /** Computed from the stored bytes. All of the correlation is checked; what the reader may see is counted. */
  verify(reader: Principal, correlationId: string): Promise<Json>;
  /**
   * The text in pieces, and its media type. `bundle` needs a correlation. In one that the reader began, payloads of others are
   * withheld; one that others began is refused as a chain: `permission_missing`.
   */
  export(reader: Principal, query: ExportQuery): { readonly type: string; readonly parts: AsyncIterable<string> };
  /** `{host_id, scheme, sequence, store_head, revocation_head, at}` */
  head(scheme: HeadScheme): Promise<Json>;
  /** `{sequence, store_head, proof}` of the latest event of a correlation; null: there is none to see. */
  inclusion(reader: Principal, correlationId: string): Promise<Json | null>;
  /** Refusal `bad_request` unless 0 <= first <= second <= sequence. */
  consistency(first: number, second: number): Promise<Json>;
  /** From this tree size on, oldest first, at most 1,000. */
  checkpoints(from: number): Promise<readonly Json[]>;
  /** Makes one now and answers with it. */
  checkpoint(): Promise<Json>;
  readonly statements: Statements;
}

/** What others signed about this host, kept beside the log. */
export interface Statements {
  /** Refusal `bad_request` with `details.code`: `invalid_witness`, `head_mismatch`, `revocation_head_mismatch`. */
  addWitness(statement: unknown): Promise<Json>;
  witnesses(): readonly Json[];
  /** `details.code`: `invalid_anchor`, `head_mismatch`. */
  addAnchor(statement: unknown): Promise<Json>;
  anchors(): readonly Json[];
  /** `details.code`: `invalid_revocation`. `sender`: the principal who hands it in; nobody fills the place alone. */
  addRevocation(statement: unknown, sender: string): Promise<Json>;
  /** `{keys, mandates}`, oldest first, at most 1,000; if there are more, `truncated` and the `after` to go on with. */
  revocations(after?: string): Json;
  /** Whether a mandate of this principal key was withdrawn. */
  isRevoked(mandateId: string, principalKey: string): boolean;
}
