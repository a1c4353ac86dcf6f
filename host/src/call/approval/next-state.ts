/** The states of an approval and what leads from one to the next. What is not in the table does not happen. */
import type { ApprovalState } from "../../kernel/approvals.ts";

export type ApprovalMove = "approve" | "deny" | "expire" | "cancel" | "consume";

const MOVES: Readonly<Record<ApprovalState, Partial<Record<ApprovalMove, ApprovalState>>>> = {
  pending: { approve: "granted", deny: "denied", expire: "expired", cancel: "cancelled" },
  granted: { consume: "consumed", expire: "expired", cancel: "cancelled" },
  denied: {},
  expired: {},
  cancelled: {},
  consumed: {},
};

/** Null: there is no such way. */
export const nextState = (state: ApprovalState, move: ApprovalMove): ApprovalState | null => MOVES[state][move] ?? null;

export const isLive = (state: ApprovalState): boolean => state === "pending" || state === "granted";
