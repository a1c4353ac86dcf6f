/**
 * A person's yes or no, bound to the digest of one exact call. The queue is kept in the evidence database; every change of
 * it is an event and durable with that event.
 */
import type { RiskTier } from "./risk-tier.ts";
import type { Door, Principal } from "./principal.ts";

export type ApprovalState = "pending" | "granted" | "denied" | "expired" | "cancelled" | "consumed";

export interface ApprovalDecision {
  /** `person:…`, or `key:<base64>` of a grant that was signed elsewhere. */
  readonly by: string;
  readonly decision: "approve" | "deny";
  readonly at: string;
  readonly reason?: string;
  /** The signed grant, as `chp-approval-grant` has it. */
  readonly grant?: Readonly<Record<string, unknown>>;
}

/** As it is kept and, but for the arguments, as it is shown. Times are ISO. */
export interface ApprovalRecord {
  readonly id: string;
  readonly state: ApprovalState;
  readonly digest: string;
  readonly invocation_id: string;
  readonly correlation_id: string;
  readonly capability: { readonly id: string; readonly version: string; readonly definition: string | null };
  /** The flat name. */
  readonly tool: string;
  /** Null: the reader may not see them. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly requested_by: string;
  readonly on_behalf_of?: string;
  /** Programs between the two, the first one first. */
  readonly chain?: readonly string[];
  readonly workspace: string;
  readonly door: Door;
  readonly rule: string;
  readonly risk_tier: RiskTier;
  readonly required: {
    readonly count: number;
    /** Each list must contain the decider. */
    readonly approvers: readonly (readonly string[])[];
    readonly four_eyes: boolean;
  };
  readonly decisions: readonly ApprovalDecision[];
  readonly created_at: string;
  readonly expires_at: string;
  readonly consumed_by?: string;
  /** Why it was cancelled. */
  readonly reason?: string;
}

/** What whoever waits for it is told. */
export type WaitingApproval = Pick<ApprovalRecord, "id" | "digest" | "tool" | "risk_tier" | "rule" | "expires_at">;

export interface StandingApproval {
  readonly id: string;
  readonly tools: readonly string[];
  readonly principal: string;
  readonly arguments?: readonly Readonly<Record<string, unknown>>[];
  readonly max_uses?: number;
  readonly uses: number;
  readonly expires_at: string;
  readonly granted_by: string;
  readonly workspace: string;
}

export type NewStandingApproval = Pick<
  StandingApproval,
  "tools" | "principal" | "arguments" | "max_uses" | "expires_at"
>;

export interface ApprovalQuery {
  readonly state?: ApprovalState;
  /** Only those that were asked for before this one. */
  readonly before?: string;
}

/** What people and doors may do with the queue. Whoever may not see one hears `not_found`. */
export interface Approvals {
  /** Newest first; those that the reader may decide or has asked for. Each is made ready when it is taken, not before. */
  list(reader: Principal, query?: ApprovalQuery): Iterable<ApprovalRecord>;
  /** How many of these there are. */
  count(reader: Principal, state: ApprovalState): number;
  get(reader: Principal, id: string): ApprovalRecord | null;
  /** Refusal `not_visible` for who may not decide it, `approval_expired`, or `stale_surface` when it is not pending. */
  decide(by: Principal, id: string, order: { approve: boolean; reason?: string }): Promise<ApprovalRecord>;
  /** By its requester. */
  cancel(by: Principal, id: string): Promise<ApprovalRecord>;
  standing(reader: Principal): readonly StandingApproval[];
  grantStanding(by: Principal, order: NewStandingApproval): Promise<StandingApproval>;
  revokeStanding(by: Principal, id: string): Promise<StandingApproval>;
  /** Resolves when it is not pending any more, on abort, or after so many ms; with the state it has then. */
  settled(id: string, ms: number, signal: AbortSignal): Promise<ApprovalState | null>;
  /** Called after each change of one, with the record as it is kept; returns the function that ends it. */
  onChange(listener: (record: ApprovalRecord) => void): () => void;
}
