/**
 * An approval as it is kept: sealed, one line in the evidence database, because its arguments may hold anything. Of a large
 * one that is over, the arguments go.
 */
import type { ApprovalRecord, ApprovalState } from "../../kernel/approvals.ts";
import type { StateWrite } from "../../kernel/evidence.ts";
import type { Seals } from "../../kernel/seal.ts";
import { isLive } from "./next-state.ts";

export const SEAL_PURPOSE = "approvals";
const KEPT_INPUT = 2_048;

export interface StoredApproval extends Omit<ApprovalRecord, "arguments"> {
  /** JSON text of the arguments; null: not kept any more. */
  readonly input: string | null;
  readonly commitment: string;
  readonly ttl_s: number;
  /** Of the capability. */
  readonly classification: string | null;
  /** Its digest does not enter evidence: who guesses the arguments could prove the guess with it. */
  readonly confidential: boolean;
  /** Canonical text of the subject that asked. */
  readonly subject: string;
  readonly causation_id: string | null;
  readonly parent_id: string | null;
  readonly trace_id: string | null;
  /** When it was over; absent: it is not. */
  readonly ended_at?: string;
}

/**
 * Two calls with the same key want the same approval. A digest alone does not say which provider an outward id stands for,
 * nor what is demanded: the same call may need more at another door or under another policy.
 */
export const callKey = ({ digest, tool, required }: Pick<StoredApproval, "digest" | "tool" | "required">): string =>
  `${digest} ${tool} ${required.count} ${required.four_eyes} ${JSON.stringify(required.approvers)}`;

/** What it is now: nobody need have written down yet that its time is over. */
export const stateAt = ({ state, expires_at }: StoredApproval, now: number): ApprovalState =>
  isLive(state) && Date.parse(expires_at) <= now ? "expired" : state;

export const endApproval = (
  record: StoredApproval,
  at: number,
  end: Pick<StoredApproval, "state"> & Partial<StoredApproval>,
): StoredApproval => {
  const input = record.input !== null && record.input.length > KEPT_INPUT ? null : record.input;
  return { ...record, ...end, input, ended_at: new Date(at).toISOString() };
};

/** One that is over goes with its call: its arguments are the call's. */
export const writeApproval = (seals: Seals, record: StoredApproval): StateWrite => ({
  space: "approval",
  key: record.id,
  value: seals.seal(SEAL_PURPOSE, JSON.stringify(record)),
  ...(record.ended_at === undefined ? {} : { goesWith: record.correlation_id }),
});

/** What this host sealed, as it was; null: sealed with another secret than this host's. */
export const readSealed = (seals: Seals, value: string): unknown => {
  const plain = seals.unseal(SEAL_PURPOSE, value);
  return plain === null ? null : JSON.parse(plain);
};
