/** The methods of a legacy session: what the host answers itself, and calls. */
import { Refusal } from "../kernel/refusal.ts";
import { viewOf, type Surfaces } from "../kernel/surface.ts";
import type { AnswerCall } from "./answer-call.ts";
import { CALL_METHODS, type CallMethod } from "./call-methods.ts";
import { featuresOf } from "./describe-host.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import { fitLegacy } from "./fit-reply.ts";
import { LIST_METHODS, listPage, type ListMethod } from "./list-page.ts";
import type { Message } from "./message.ts";
import type { NoticeSink } from "./notice-sink.ts";
import { LOG_LEVELS } from "./protocol.ts";
import { refusalText, resultText } from "./rpc-text.ts";
import type { JsonAnswer } from "./send-json.ts";
import { sessionAsker } from "./session-asker.ts";
import { subscribe, unsubscribe } from "./session-subscriptions.ts";
import type { Session } from "./sessions.ts";

export interface SessionRequest<R extends NoticeSink = NoticeSink> {
  readonly exchange: Exchange;
  readonly session: Session;
  readonly message: Message;
  readonly reply: R;
  readonly call: AbortController;
}

export type AnswerInSession = (request: SessionRequest) => Promise<JsonAnswer> | JsonAnswer;

/** One for all: only a call that ended for this very reason goes unanswered; closing the host has another. */
export const CANCELLED = new Refusal("cancelled", {
  message: "The caller cancelled.",
  next: "Repeat the call if it is still wanted.",
});

export const createAnswerInSession =
  (answerCall: AnswerCall, surfaces: Surfaces): AnswerInSession =>
  (request) => {
    const { exchange, session, message, reply, call } = request;
    const called = CALL_METHODS.get(message.method);
    if (called && offers(exchange, called)) {
      const { operation } = called;
      const { roots } = session;
      if (roots.pending) roots.ask(reply);
      const level = (): string => session.level;
      const asker = sessionAsker(session, reply);
      return answerCall({ exchange, message, operation, reply, call, asker, roots, level, fit: fitLegacy });
    }
    const own = answerItself(request, surfaces);
    if (typeof own === "string") return { status: 200, text: resultText(message.idText, own) };
    return { status: own.status, text: refusalText(message.idText, own) };
  };

/** What a session's notification does; unknown ones do nothing. */
export const takeNotice = (session: Session, { method, params }: Message): void => {
  if (method === "notifications/initialized") session.roots.start();
  if (method === "notifications/roots/list_changed") session.roots.change();
  if (method !== "notifications/cancelled") return;
  const { requestId } = params;
  for (const { id, call } of session.calls) if (id === requestId) call.abort(CANCELLED);
};

const answerItself = ({ exchange, session, message }: SessionRequest, surfaces: Surfaces): string | DoorRefusal => {
  const { method, params } = message;
  if (method === "ping") return "{}";
  if (method === "logging/setLevel") return setLevel(session, params["level"]);
  if (method === "resources/subscribe") return subscribe(surfaces, exchange, session, params["uri"]) ?? "{}";
  if (method === "resources/unsubscribe") {
    unsubscribe(session, params["uri"]);
    return "{}";
  }
  const list = LIST_METHODS.get(method);
  if (!list || !offers(exchange, list)) return unknownMethod(method);
  const page = listPage(exchange.surface(viewOf(session.declared)), list, { cursor: params["cursor"], era: "legacy" });
  return typeof page === "string" ? `{${page}}` : page;
};

const setLevel = (session: Session, level: unknown): string | DoorRefusal => {
  if (typeof level !== "string" || !LOG_LEVELS.includes(level)) {
    const [message, next] = ["params.level is no log level.", `Send one of: ${LOG_LEVELS.join(", ")}.`];
    return doorRefusal("bad_request", { code: -32602, status: 200, message, next });
  }
  session.level = level;
  return "{}";
};

const offers = (exchange: Exchange, { feature }: CallMethod | ListMethod): boolean =>
  exchange.provider === null || featuresOf(exchange.surface(), exchange.provider)[feature];

const unknownMethod = (method: string): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32601,
    status: 200,
    message: `There is no method ${JSON.stringify(method.slice(0, 100))} here.`,
    next: "Use the methods that the capabilities of the initialize answer announce.",
  });
