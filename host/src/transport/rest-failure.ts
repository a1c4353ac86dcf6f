/** What a REST caller gets for whatever its route threw. A bug goes to the host's log and shows nothing of its inside. */
import { Refusal } from "../kernel/refusal.ts";
import { challenge } from "./challenge.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { refusedAnswer } from "./run-call.ts";
import type { JsonAnswer } from "./send-json.ts";

const FAILED = JSON.stringify({
  error: "internal",
  message: "The host failed at this request; its log says how.",
  remedy: 'Look at the log of "bailiwick serve", then report it.',
});

export const restFailure = (deps: ListenerDeps, error: unknown): JsonAnswer => {
  if (error instanceof Refusal) return restRefusal(deps, error);
  deps.report(error);
  return { status: 500, text: FAILED };
};

export const restRefusal = ({ shape, tokens }: ListenerDeps, refusal: Refusal): JsonAnswer => {
  const { status, json, headers } = shape.rest(refusedAnswer(refusal, null));
  if (refusal.kind !== "permission_missing") return { status, text: json, headers };
  const permission = String(refusal.details["required_permission"]);
  return {
    status,
    text: json,
    headers: { ...headers, ...challenge(tokens, { error: "insufficient_scope", permission }) },
  };
};
