/**
 * What the CHP door says itself. An error is `{"error":{"code","message"}}`; its message ends with the next step, since the
 * form has no other place for it.
 */
import { jcs } from "../../kernel/jcs.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { challenge } from "../challenge.ts";
import type { DoorRefusal } from "../door-refusal.ts";
import type { ListenerDeps } from "../listener-deps.ts";
import type { JsonAnswer } from "../send-json.ts";

/** Newest last. */
export const SUPPORTED_VERSIONS: readonly string[] = ["0.1", "0.2"];
export const PROTOCOL_VERSION = "0.2";

/** Members sorted. */
export const ok = (value: unknown): JsonAnswer => ({ status: 200, text: jcs(value) });

/** A statement that verifies and contradicts the log is a conflict, one that does not verify is a bad request. */
const CONFLICTS: ReadonlySet<string> = new Set(["head_mismatch", "revocation_head_mismatch"]);
const CODES: Readonly<Record<string, string>> = { unauthenticated: "unauthorized" };

interface ErrorFacts {
  readonly status: number;
  readonly code: string;
  readonly refusal: Refusal;
}

const errorAnswer = ({ status, code, refusal }: ErrorFacts): JsonAnswer => ({
  status,
  text: jcs({ error: { code, message: `${refusal.message} ${refusal.next}` } }),
  headers: refusal.retryAfterMs === null ? null : { "Retry-After": String(Math.ceil(refusal.retryAfterMs / 1000)) },
});

export const refused = (refusal: Refusal): JsonAnswer => {
  const given = refusal.details["code"];
  const code = typeof given === "string" ? given : (CODES[refusal.kind] ?? refusal.kind);
  return errorAnswer({ status: CONFLICTS.has(code) ? 409 : refusal.row.rest, code, refusal });
};

/** One of the doors' own. `not_ready` is said before anything was looked at: there is nobody to serve it now. */
export const refusedAtDoor = ({ refusal, status, headers }: DoorRefusal): JsonAnswer => {
  const answer =
    refusal.kind === "not_ready" ? errorAnswer({ status, code: "server_at_capacity", refusal }) : refused(refusal);
  return { ...answer, headers: { ...answer.headers, ...headers } };
};

export const failed = (deps: Pick<ListenerDeps, "report" | "tokens">, error: unknown): JsonAnswer => {
  if (error instanceof Refusal) {
    const answer = refused(error);
    return error.kind === "unauthenticated" ? { ...answer, headers: challenge(deps.tokens, null) } : answer;
  }
  deps.report(error);
  const message = 'The host failed at this request. Look at the log of "bailiwick serve", then report it.';
  return { status: 500, text: jcs({ error: { code: "internal_error", message } }) };
};

export const versionUnsupported = (requested: string): JsonAnswer => {
  const supported = SUPPORTED_VERSIONS;
  const message = `CHP ${JSON.stringify(requested.slice(0, 40))} is not spoken here. Send X-CHP-Version ${supported.join(" or ")}.`;
  const code = "version_unsupported";
  const denial = { code, message, retryable: false, details: { requested: requested.slice(0, 40), supported } };
  return { status: 400, text: jcs({ error: { code, message }, denial }) };
};

export const methodNotAllowed = (method: string, allowed: readonly string[]): JsonAnswer => {
  const message = `This address does not take ${method.slice(0, 20)}. Use ${allowed.join(" or ")}.`;
  const text = jcs({ error: { code: "method_not_allowed", message } });
  return { status: 405, text, headers: { Allow: allowed.join(", ") } };
};

export const unknownRoute = (path: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no ${path.slice(0, 100)} here.`,
    next: "GET /host describes this host, POST /invoke calls a capability.",
  });

export const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });
