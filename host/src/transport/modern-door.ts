/**
 * Requests of the modern era over HTTP. Nothing is remembered between them but the calls that wait for an answer; closing
 * the response cancels the call.
 */
import type { CallMethod } from "./call-methods.ts";
import { callerLeft } from "./caller-left.ts";
import { checkHeaders } from "./check-headers.ts";
import type { DoorParts } from "./door-parts.ts";
import type { HttpExchange } from "./exchange.ts";
import type { Message } from "./message.ts";
import { refusedText, type ModernAnswers } from "./modern-answers.ts";
import type { ModernRequest } from "./modern-call.ts";
import { openEventStream } from "./open-event-stream.ts";
import { Reply } from "./reply.ts";
import { internalErrorText } from "./rpc-text.ts";
import { sendJson } from "./send-json.ts";

/** Never rejects. */
export type ModernDoor = (exchange: HttpExchange, message: Message) => Promise<void> | void;

export const createModernDoor = (parts: DoorParts, answers: ModernAnswers): ModernDoor => {
  const { deps, silence, heartbeat, listens } = parts;

  const call = async (exchange: HttpExchange, message: Message, method: CallMethod): Promise<void> => {
    const onLost = (): void => request.abort.abort(callerLeft());
    const { res, accepts } = exchange;
    const reply = new Reply(res, { accepts, heartbeat, silence, onLost, session: null });
    const request: ModernRequest = { exchange, message, method, reply, abort: new AbortController() };
    try {
      reply.finish(await answers.call(request));
    } catch (error) {
      reply.finish({ status: 500, text: internalErrorText(message.idText) });
      deps.report(error);
    }
  };

  const answer = (exchange: HttpExchange, message: Message): Promise<void> | void => {
    const { res, accepts } = exchange;
    const { method, idText: id, params } = message;
    const wrong = checkHeaders(exchange.headers, method, params);
    if (wrong) return sendJson(res, refusedText(id, wrong));
    const called = answers.callOf(exchange, method);
    if (called) return call(exchange, message, called);
    if (method === "subscriptions/listen") {
      if (res.destroyed) return;
      const open = accepts.stream ? () => openEventStream(res, heartbeat) : null;
      const refusal = listens.open(exchange, message, open);
      return refusal ? sendJson(res, refusedText(id, refusal)) : undefined;
    }
    const reply = new Reply(res, { accepts, heartbeat, silence, onLost: null, session: null });
    reply.finish(answers.itself(exchange, message));
  };

  return (exchange, message) => {
    if (message.idText === null) {
      exchange.res.writeHead(202).end();
      return;
    }
    try {
      return answer(exchange, message);
    } catch (error) {
      sendJson(exchange.res, { status: 500, text: internalErrorText(message.idText) });
      deps.report(error);
    }
  };
};
