/**
 * Requests of the modern era. Nothing is remembered between them; closing the response cancels the call.
 */
import { Refusal } from "../kernel/refusal.ts";
import type { AnswerCall } from "./answer-call.ts";
import { CALL_METHODS, type CallMethod } from "./call-methods.ts";
import { checkHeaders } from "./check-headers.ts";
import { describeModern, featuresOf } from "./describe-host.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import { fitModern } from "./fit-reply.ts";
import { LIST_METHODS, listPage, type ListMethod } from "./list-page.ts";
import type { Message } from "./message.ts";
import { isObject } from "./protocol.ts";
import type { CallParams } from "./read-call-params.ts";
import { Reply } from "./reply.ts";
import { internalErrorText, refusalText, resultText } from "./rpc-text.ts";
import type { JsonAnswer } from "./send-json.ts";

const LIST_TTL_MS = 5000;

export type ModernDoor = (exchange: Exchange, message: Message) => Promise<void>;

const levelOf = (params: CallParams): string | null => params.logLevel;

export const createModernDoor = (parts: DoorParts, answerCall: AnswerCall): ModernDoor => {
  const { deps, silence, heartbeat } = parts;

  const answer = (exchange: Exchange, message: Message, reply: Reply, call: AbortController) => {
    const { method, idText: id, params } = message;
    const wrong = checkHeaders(exchange.req.headers, method, params);
    if (wrong) return refused(id, wrong);
    const called = CALL_METHODS.get(method);
    if (called && offers(exchange, called)) {
      const state = stateDefect(message);
      if (state) return refused(id, state);
      const { operation } = called;
      return answerCall({ exchange, message, operation, reply, call, level: levelOf, fit: fitModern });
    }
    const own = answerItself(exchange, message);
    return typeof own === "string" ? { status: 200, text: resultText(id, own) } : refused(id, own);
  };

  /** The result of a method that the host answers itself, or the refusal. */
  const answerItself = (exchange: Exchange, { method, params }: Message): string | DoorRefusal => {
    const surface = exchange.surface();
    if (method === "server/discover") {
      return describeModern({ info: deps.info, surface, provider: exchange.provider });
    }
    const list = LIST_METHODS.get(method);
    if (!list || !offers(exchange, list)) return unknownMethod(method);
    const page = listPage(surface, list, { cursor: params["cursor"], era: "modern" });
    if (typeof page !== "string") return page;
    return `{"resultType":"complete","ttlMs":${surface.settled ? LIST_TTL_MS : 0},"cacheScope":"private",${page}}`;
  };

  return async (exchange, message) => {
    if (message.idText === null) {
      exchange.res.writeHead(202).end();
      return;
    }
    const { res, accepts } = exchange;
    const call = new AbortController();
    const onLost = (): void => call.abort(callerLeft());
    const reply = new Reply(res, { accepts, heartbeat, silence, onLost });
    try {
      reply.finish(await answer(exchange, message, reply, call));
    } catch (error) {
      reply.finish({ status: 500, text: internalErrorText(message.idText) });
      deps.report(error);
    }
  };
};

const offers = (exchange: Exchange, { feature }: CallMethod | ListMethod): boolean =>
  exchange.provider === null || featuresOf(exchange.surface(), exchange.provider)[feature];

const refused = (id: string | null, refusal: DoorRefusal): JsonAnswer => ({
  status: refusal.status,
  text: refusalText(id, refusal),
});

const unknownMethod = (method: string): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32601,
    status: 404,
    message: `There is no method ${JSON.stringify(method.slice(0, 100))} here.`,
    next: "Ask server/discover what this endpoint offers.",
  });

/** No state of ours is out yet, so whatever comes back is not ours. */
const stateDefect = ({ params }: Message): DoorRefusal | null => {
  const { inputResponses, requestState } = params;
  if (requestState !== undefined) {
    return doorRefusal("bad_request", {
      code: -32602,
      status: 200,
      message: "This requestState was not given out by this host.",
      next: "Send the request again without requestState and inputResponses.",
      data: { reason: "invalid_request_state" },
    });
  }
  if (inputResponses === undefined || isObject(inputResponses)) return null;
  const [message, next] = ["params.inputResponses is not an object.", "Send an object."];
  return doorRefusal("bad_request", { code: -32602, status: 200, message, next });
};

const callerLeft = (): Refusal =>
  new Refusal("cancelled", {
    message: "The caller closed its request.",
    next: "Repeat the call if it is still wanted.",
  });
