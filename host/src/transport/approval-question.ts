/**
 * How a modern caller learns that a person has to decide first: as a task, which the call path makes; by being sent to the
 * page where that is done; or by waiting. What the caller answers decides nothing.
 */
import type { Declared } from "../kernel/ask.ts";
import type { Answer } from "../kernel/call.ts";
import { NO_ENVELOPE, type Envelope } from "../kernel/envelope.ts";
import { rawJson, type RawJson } from "../kernel/raw-json.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { isObject } from "./protocol.ts";
import type { PendingApproval } from "./request-state.ts";

const KEY = "approval";

export const takesPages = ({ value }: Declared): boolean =>
  isObject(value["elicitation"]) && isObject(value["elicitation"]["url"]);

/** The refusal that says so; null: the call ended otherwise. */
export const pendingIn = ({ ending }: Answer): Refusal | null =>
  ending.kind === "refusal" && ending.refusal.kind === "approval_pending" ? ending.refusal : null;

export const pendingApproval = ({ record }: Answer, { details }: Refusal): PendingApproval => ({
  approval: String(details["approval_id"]),
  call: record?.invocationId ?? "",
  correlation: record?.correlation.id ?? null,
  expires: Date.parse(String(details["expires_at"])),
});

/** `message` is for the person who opens it. */
export const approvalQuestion = (url: string, message: string, state: string): RawJson => {
  const params = { mode: "url", message, url };
  const inputRequests = { [KEY]: { method: "elicitation/create", params } };
  return rawJson(JSON.stringify({ resultType: "input_required", inputRequests, requestState: state }));
};

/** The same call once more, as part of what it belongs to. The approval that it names is the only one that it will have. */
export const sameCall = ({ approval, call, correlation }: Omit<PendingApproval, "expires">): Envelope => ({
  ...NO_ENVELOPE,
  approvalRef: approval,
  correlationId: correlation,
  causationId: call === "" ? null : call,
});

/** The person went to the page, so there is somebody to wait for. */
export const wentThere = (responses: RawJson | null): boolean => {
  const given = responses === null ? {} : (JSON.parse(responses) as Record<string, unknown>);
  const said = given[KEY];
  return isObject(said) && said["action"] === "accept";
};
