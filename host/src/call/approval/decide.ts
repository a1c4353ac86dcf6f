/** What a decision makes of an approval. Pure: who decides was checked before. */
import type { ApprovalDecision } from "../../kernel/approvals.ts";
import { endApproval, type StoredApproval } from "./stored-approval.ts";

/** `until`: how long the yes is good for, ms; a denial keeps the time up to which it stands. */
export const decide = (
  record: StoredApproval,
  decision: ApprovalDecision,
  { at, until }: { readonly at: number; readonly until: number },
): StoredApproval => {
  const decisions = [...record.decisions, decision];
  if (decision.decision === "deny") return endApproval(record, at, { state: "denied", decisions });
  const yes = new Set(decisions.map(({ by }) => by)).size;
  if (yes < record.required.count) return { ...record, decisions };
  return { ...record, decisions, state: "granted", expires_at: new Date(until).toISOString() };
};
