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

/** What is at the URL does not take the POSTs of Streamable HTTP; it may be a server of the older transport. */
export class NotStreamable extends Error {
  override readonly name = "NotStreamable";
  /** True: somebody answered in the protocol's own words. */
  readonly answered: boolean;

  constructor(status: number, answered: boolean) {
    super(
      `the server answered initialize with HTTP ${status}: the URL is no Streamable HTTP endpoint; ` +
        "check `url` of this entry",
    );
    this.answered = answered;
  }
}

/** Says nothing of the era: the endpoint did not look at the request. */
const saysNothing = (status: number): boolean => status === 429 || status >= 500;

export const judgeStatus = (status: number, text: string, exchange: Exchange): Verdict => {
  const { method, control } = exchange.options;
  if (status === 401 || (status === 403 && control)) return { kind: "auth" };
  const reply = replyIn(text, exchange.id);
  const opens = method === "initialize";
  if (opens && (status === 404 || status === 405)) {
    return { kind: "failed", error: new NotStreamable(status, reply !== null) };
  }
  const probe = method === "server/discover";
  if (reply && !(probe && saysNothing(status))) return { kind: "reply", reply };
  if (probe && !saysNothing(status)) return { kind: "reply", reply: notFound(status) };
  if (opens && status === 400) return { kind: "failed", error: new NotStreamable(status, false) };
  if (control) return { kind: "failed", error: new Error(`the server answered ${method} with HTTP ${status}`) };
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

const rejected = (status: number): Refusal =>
  new Refusal("upstream_failed", {
    message: `The server rejected the call with HTTP ${status}.`,
    next:
      status === 403
        ? "Check what the credential in `transport.auth` of this entry may do."
        : "Check `url` and `transport` of this entry, or report it to the author of the server.",
    details: { reason: "http_status", status },
  });
