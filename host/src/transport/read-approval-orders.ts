/** What is asked of approvals over REST. Only shapes are checked here; who may decide what is decided where they are kept. */
import type { ApprovalState, NewStandingApproval } from "../kernel/approvals.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isObject } from "./protocol.ts";
import type { RestBody } from "./read-rest-body.ts";

const STATES: readonly string[] = [
  "pending",
  "granted",
  "denied",
  "expired",
  "cancelled",
  "consumed",
] satisfies ApprovalState[];
const MAX_REASON = 2000;
const MOST = 200;
const USUAL = 50;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

export interface ApprovalPage {
  readonly state?: ApprovalState;
  readonly limit: number;
  /** The id of the last one that was seen. */
  readonly cursor: string | null;
}

export const readApprovalPage = (query: URLSearchParams): ApprovalPage => {
  const state = query.get("state");
  const limit = query.get("limit");
  if (state !== null && !STATES.includes(state)) {
    throw bad('"state" is no state of an approval.', `Use one of: ${STATES.join(", ")}; or leave it out.`);
  }
  if (limit !== null && !(/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MOST)) {
    throw bad('"limit" is out of range.', `Send a whole number from 1 to ${MOST}, or leave it out.`);
  }
  return {
    ...(state === null ? {} : { state: state as ApprovalState }),
    limit: limit === null ? USUAL : Number(limit),
    cursor: query.get("cursor"),
  };
};

export interface DecisionOrder {
  readonly approve: boolean;
  readonly reason?: string;
}

export const readDecision = ({ value }: RestBody): DecisionOrder => {
  const { decision, reason, ...more } = value;
  refuseUnknown(more, ["decision", "reason"]);
  if (decision !== "approve" && decision !== "deny") {
    throw bad('"decision" is neither "approve" nor "deny".', 'Send {"decision": "approve"} or {"decision": "deny"}.');
  }
  if (reason !== undefined && (typeof reason !== "string" || reason.length > MAX_REASON)) {
    throw bad(`"reason" is not a text of at most ${MAX_REASON} characters.`, "Send a shorter one, or leave it out.");
  }
  return { approve: decision === "approve", ...(reason === undefined || reason === "" ? {} : { reason }) };
};

export const readStanding = ({ value }: RestBody): NewStandingApproval => {
  const { tools, principal, arguments: tests, max_uses: most, expires_at: end, ...more } = value;
  refuseUnknown(more, ["tools", "principal", "arguments", "max_uses", "expires_at"]);
  if (!Array.isArray(tools) || tools.length === 0 || !tools.every((tool) => typeof tool === "string")) {
    throw bad('"tools" is not a list of tool names.', 'Send some, as ["billing__refund"].');
  }
  if (typeof principal !== "string") throw bad('"principal" is missing.', 'Send whom it is for, as "agent:planner".');
  if (tests !== undefined && !(Array.isArray(tests) && tests.every(isObject))) {
    throw bad('"arguments" is not a list of tests.', 'Send some, as [{"path": "/amount", "op": "<=", "value": 100}].');
  }
  if (most !== undefined && !(Number.isSafeInteger(most) && (most as number) >= 1)) {
    throw bad('"max_uses" is not a whole number from 1 on.', "Send one, or leave it out.");
  }
  if (typeof end !== "string" || Number.isNaN(Date.parse(end))) {
    throw bad('"expires_at" is not a time.', 'Send one within 30 days, as "2030-01-31T12:00:00Z".');
  }
  return {
    tools,
    principal,
    expires_at: end,
    ...(tests === undefined ? {} : { arguments: tests }),
    ...(most === undefined ? {} : { max_uses: most as number }),
  };
};

const refuseUnknown = (more: object, known: readonly string[]): void => {
  const [unknown] = Object.keys(more);
  if (unknown === undefined) return;
  throw bad(`${JSON.stringify(unknown.slice(0, 100))} is no field of this.`, `Use: ${known.join(", ")}.`);
};
