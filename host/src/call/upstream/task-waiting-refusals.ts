/** Why a task that waited for a decision ended without its call. */
import type { ApprovalRecord } from "../../kernel/approvals.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { TaskRecord } from "../../kernel/tasks.ts";

/** Of one that is over and was not a yes. Null: there is nothing known of it any more. */
export const approvalRefusal = ({ flatName }: TaskRecord, record: ApprovalRecord | null): Refusal => {
  if (record?.state === "denied") return denied(record);
  const gone =
    record?.state === "cancelled" ? `was cancelled${record.reason ? ` (${record.reason})` : ""}` : "has expired";
  return new Refusal("approval_expired", {
    message: `The approval ${record?.id ?? "of this call"} of ${flatName} ${gone}.`,
    next: "Repeat the call to ask for a new one.",
    details: { approval_id: record?.id ?? null, state: record?.state ?? "expired", matched_rule: record?.rule ?? null },
  });
};

const denied = ({ id, tool, rule, decisions }: ApprovalRecord): Refusal => {
  const denial = decisions.find(({ decision }) => decision === "deny");
  const by = denial?.by ?? "An approver";
  return new Refusal("approval_denied", {
    message: `${by} said no to this call of ${tool} (${id})${denial?.reason === undefined ? "" : `: ${denial.reason}`}`,
    next: `Do something else, or talk to ${by}.`,
    details: { approval_id: id, matched_rule: rule },
  });
};

/** The host stopped in the middle of it. */
export const lostRefusal = ({ flatName }: TaskRecord): Refusal =>
  new Refusal("indeterminate", {
    message: `Nobody knows how the call of ${flatName} ended: the host stopped while it ran.`,
    next: "Check its effect yourself, then decide whether to call again.",
    details: { error: "host_stopped" },
  });

export const notKeptRefusal = ({ flatName }: TaskRecord, chars: number): Refusal =>
  new Refusal("too_large", {
    message: `The result of ${flatName}, ${chars} characters, is more than is kept for a caller that comes later.`,
    next: "The call has ended, and evidence says how. Call again if it may run twice, from a client that waits for it.",
  });
