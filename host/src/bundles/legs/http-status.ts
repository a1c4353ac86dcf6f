/**
 * What an answer that is no success says: about the call, about our credential, or (to the probe) about the era.
 */
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Exchange } from "./exchange.ts";
import { unknownOutcome } from "./leg-refusals.ts";
import { readMessages, type Reply } from "./read-message.ts";

export type Verdict =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "auth" }
  | { readonly kind: "failed"; readonly error: Error };

/** Says nothing of the era: the endpoint did not look at the request. */
const saysNothing = (status: number): boolean => status === 429 || status >= 500;

export const judgeStatus = (status: number, text: string, exchange: Exchange): Verdict => {
  const { method, control } = exchange.options;
  if (status === 401 || (status === 403 && control)) return { kind: "auth" };
  const reply = replyIn(text, exchange.id);
  const probe = method === "server/discover";
  if (reply && !(probe && saysNothing(status))) return { kind: "reply", reply };
  if (probe && !saysNothing(status)) return { kind: "reply", reply: notFound(status) };
  if (control) return { kind: "failed", error: new Error(controlFailure(status, method)) };
  if (status >= 500) {
    return { kind: "failed", error: unknownOutcome("connection_lost", `the server answered with HTTP ${status}`) };
  }
  return { kind: "failed", error: rejected(status) };
};

const replyIn = (text: string, id: number): Reply | null => {
  for (const message of readMessages(text)) {
    if (message.kind === "answer" && (message.id === id || message.id === null || message.id === undefined)) {
      return message.reply;
    }
  }
  return null;
};

const notFound = (status: number): Reply => {
  const message = `HTTP ${status}`;
  return { kind: "error", json: rawJson(`{"code":-32601,"message":"${message}"}`), code: -32601, message, data: null };
};

const controlFailure = (status: number, method: string): string =>
  method === "initialize" && (status === 404 || status === 405 || status === 400)
    ? `the server answered ${method} with HTTP ${status}: the URL is no Streamable HTTP endpoint ` +
      "(the older SSE transport is not available yet); check `url` of this entry"
    : `the server answered ${method} with HTTP ${status}`;

const rejected = (status: number): Refusal =>
  new Refusal("upstream_failed", {
    message: `The server rejected the call with HTTP ${status}.`,
    next:
      status === 403
        ? "Check what the credential in `transport.auth` of this entry may do."
        : "Check `url` and `transport` of this entry, or report it to the author of the server.",
    details: { reason: "http_status", status },
  });
