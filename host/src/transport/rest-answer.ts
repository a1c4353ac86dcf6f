/**
 * The answer of the one call path over REST. One that waits for a person says at its top what it waits for and where that
 * is; one that was given out before says so.
 */
import type { Answer } from "../kernel/call.ts";
import { rawMembers } from "../kernel/raw-json.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { insertMembers } from "../kernel/scan-json.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import type { JsonAnswer } from "./send-json.ts";

export const restAnswer = ({ shape }: Pick<ListenerDeps, "shape">, answer: Answer): JsonAnswer => {
  const { status, headers, json } = shape.rest(answer);
  const { ending, replayed } = answer;
  const said = replayed === true ? { ...headers, "idempotency-replayed": "true" } : headers;
  if (ending.kind !== "refusal" || ending.refusal.kind !== "approval_pending")
    return { status, headers: said, text: json };
  const pending = pendingOf(ending.refusal);
  const members = rawMembers(JSON.stringify(pending).slice(1, -1));
  const location = `/v1/approvals/${encodeURIComponent(pending.approvalId)}`;
  return { status, headers: { ...said, location }, text: insertMembers(json, members) };
};

interface Pending {
  readonly approvalId: string;
  readonly digest: unknown;
  readonly expiresAt: unknown;
}

const pendingOf = ({ details }: Refusal): Pending => ({
  approvalId: String(details["approval_id"]),
  digest: details["digest"],
  expiresAt: details["expires_at"],
});
