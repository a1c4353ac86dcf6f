/**
 * What a caller may say about its call beside the call itself, as CHP has it; MCP and REST say little of it. Nothing in it
 * decides who the caller is.
 */
export type CallMode = "sync" | "async" | "stream" | "fire_and_forget";

export interface Envelope {
  /** The caller's own id for this call; null: the host makes one. */
  readonly invocationId: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  readonly parentId: string | null;
  readonly traceId: string | null;
  readonly mode: CallMode;
  /** A version or a range of versions that the tool must have; null: any. */
  readonly version: string | null;
  readonly requireOutputSchema: boolean;
  /** An approval's id, or a grant that somebody signed; checked where approvals are. */
  readonly approvalRef: unknown;
  /** A signed mandate, checked by policy; null: none. */
  readonly mandate: unknown;
  /** What the body claims about who acts: recorded, and believed by nobody. */
  readonly asserted: Readonly<Record<string, unknown>> | null;
  /** `metadata.context`, for the trace. */
  readonly context: Readonly<Record<string, unknown>> | null;
  /** The same key is the same call: `invocation_id`, or REST's `idempotencyKey`. Null: every request is a call of its own. */
  readonly onceKey: string | null;
}

export const NO_ENVELOPE: Envelope = Object.freeze({
  invocationId: null,
  correlationId: null,
  causationId: null,
  parentId: null,
  traceId: null,
  mode: "sync",
  version: null,
  requireOutputSchema: false,
  approvalRef: null,
  mandate: null,
  asserted: null,
  context: null,
  onceKey: null,
});
