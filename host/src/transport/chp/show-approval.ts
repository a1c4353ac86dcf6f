/** An approval as the one who asked for it hears of it: its state and, when it was granted, the signed grant. */
import type { ApprovalRecord, Approvals } from "../../kernel/approvals.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { principalUri } from "../../kernel/subject.ts";

export const showApproval = (
  approvals: Approvals,
  reader: Principal,
  id: string,
): Readonly<Record<string, unknown>> => {
  const record = approvals.get(reader, id);
  if (record === null) {
    throw new Refusal("not_found", {
      message: `There is no approval ${JSON.stringify(id.slice(0, 100))} for this caller.`,
      next: "Call the capability: its denial names the approval.",
    });
  }
  const grant = isRequester(record, reader) ? grantOf(record) : undefined;
  return {
    approval_id: record.id,
    state: record.state,
    digest: record.digest,
    invocation_id: record.invocation_id,
    correlation_id: record.correlation_id,
    capability_id: record.capability.id,
    capability_version: record.capability.version,
    created_at: record.created_at,
    expires_at: record.expires_at,
    ...(reasonOf(record) === undefined ? {} : { reason: reasonOf(record) }),
    ...(grant === undefined ? {} : { grant }),
  };
};

const isRequester = ({ requested_by: by, on_behalf_of: behalf }: ApprovalRecord, reader: Principal): boolean =>
  principalUri(by) === principalUri(reader.id) && principalUri(behalf ?? "") === principalUri(reader.onBehalfOf ?? "");

/** The last one needed; it is bound to the call, not to the one who decided. */
const grantOf = ({ state, decisions }: ApprovalRecord): unknown =>
  state === "granted" ? decisions.findLast(({ grant }) => grant !== undefined)?.grant : undefined;

const reasonOf = ({ reason, decisions }: ApprovalRecord): string | undefined =>
  reason ?? decisions.findLast(({ decision }) => decision === "deny")?.reason;
