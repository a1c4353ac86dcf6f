/** Every "no" that has to do with an approval, with what to do about it. */
import { principalName } from "../../kernel/principal-name.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import type { StoredApproval } from "./stored-approval.ts";
import { describeDeciders } from "./who-decides.ts";

const howTo = ({ id, workspace }: StoredApproval): { readonly cli: string; readonly rest: string } => ({
  cli: `bailiwick approve ${id} yes${workspace === DEFAULT_WORKSPACE ? "" : ` --workspace ${workspace}`}`,
  rest: `POST /v1/approvals/${id}`,
});

export const pendingRefusal = (record: StoredApproval): Refusal => {
  const how = howTo(record);
  return new Refusal("approval_pending", {
    message: `${record.tool} waits for the approval ${record.id}, until ${record.expires_at} (${record.rule}).`,
    next:
      `Ask ${describeDeciders(record.required)} to run \`${how.cli}\` (or ${how.rest} {"decision":"approve"}); ` +
      `then repeat the same call.`,
    details: {
      approval_id: record.id,
      digest: record.confidential ? null : record.digest,
      expires_at: record.expires_at,
      how,
      decision: "requires_approval",
      matched_rule: record.rule,
    },
  });
};

export const deniedRefusal = (record: StoredApproval): Refusal => {
  const denial = record.decisions.find(({ decision }) => decision === "deny");
  const why = denial?.reason === undefined ? "" : `: ${denial.reason.replace(/\.$/, "")}`;
  return new Refusal("approval_denied", {
    message: `${denial?.by ?? "An approver"} said no to this call of ${record.tool} (${record.id})${why}.`,
    next: `Do something else, or talk to ${denial?.by ?? "the approver"}; it can be asked for again after ${record.expires_at}.`,
    details: { approval_id: record.id, matched_rule: record.rule },
  });
};

/** Its time, its one use or its reason is gone. */
export const goneRefusal = (record: StoredApproval, state: "expired" | "consumed" | "cancelled"): Refusal => {
  const gone = {
    expired: "has expired",
    consumed: "has been used, and one approval is good for one call",
    cancelled: `was cancelled${record.reason === undefined ? "" : ` (${record.reason})`}`,
  };
  return new Refusal("approval_expired", {
    message: `The approval ${record.id} of ${record.tool} ${gone[state]}.`,
    next: "Repeat the call, without approval_ref and requestState, to ask for a new one.",
    details: { approval_id: record.id, state, matched_rule: record.rule },
  });
};

/** What was brought as approval is none of this call. Says no more to whoever tries. */
export const wrongRefRefusal = (tool: string, rule: string, why: string): Refusal =>
  new Refusal("approval_denied", {
    message: `What was sent as approval_ref does not approve this call of ${tool}: ${why}.`,
    next: "Repeat the call without approval_ref to ask for an approval, or send the one that was given for this exact call.",
    details: { approval_id: null, matched_rule: rule },
    // The same call under the same id, with one that counts, is to run.
    retryable: true,
  });

export const cancelledRefusal = ({ id, tool }: StoredApproval): Refusal =>
  new Refusal("cancelled", {
    message: `The call of ${tool} was cancelled while it waited for the approval ${id}, which stays pending.`,
    next: "Nothing happened; make the same call again to go on with that approval.",
  });

interface Full {
  readonly what: "approvals" | "characters";
  readonly limit: number;
  readonly used: number;
}

export const fullRefusal = (who: Pick<Principal, "id" | "onBehalfOf"> | null, { what, limit, used }: Full): Refusal => {
  const whose = who === null ? "this host" : principalName(who);
  const message =
    what === "approvals"
      ? `${used} approvals of ${whose} wait for a decision; no more than ${limit} are taken.`
      : `The arguments of the approvals of ${whose} that wait or were not used yet have ${used} characters; ` +
        `with these there would be more than ${limit}.`;
  return new Refusal("rate_limited", {
    message,
    next: "Have some of them decided or used (`bailiwick approve` lists them) or withdraw some, then repeat the call.",
    details: { limit, used, retry_after_s: 60 },
    retryAfterMs: 60_000,
  });
};

export const unshowableRefusal = (tool: string, bytes: number, limit: number): Refusal =>
  new Refusal("too_large", {
    message: `${tool} needs an approval, and its arguments (${bytes} bytes) are more than a person can be shown (${limit}).`,
    next: "Pass what is large as a file and name it in the arguments.",
    details: { limit, bytes },
  });
