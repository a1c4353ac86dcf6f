/** The methods of the modern era: which of them are calls, and what the host answers itself. */
import { viewOf, type Surface } from "../kernel/surface.ts";
import { CALL_METHODS, type CallMethod } from "./call-methods.ts";
import { describeModern, featuresOf } from "./describe-host.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import { LIST_METHODS, listPage, type ListMethod } from "./list-page.ts";
import type { Message } from "./message.ts";
import { createAnswerModernCall, type AnswerModernCall } from "./modern-call.ts";
import { META_CAPABILITIES, type JsonObject } from "./protocol.ts";
import { refusalText, resultText } from "./rpc-text.ts";
import type { JsonAnswer } from "./send-json.ts";
import { createAnswerTask, isTaskMethod } from "./task-methods.ts";

const LIST_TTL_MS = 5000;
/** Tasks are begun by tools alone, so they are there where tools are. */
const TOOL_CALL: CallMethod = { operation: "call", feature: "tools" };

export interface ModernAnswers {
  /** The call that this method is on this endpoint; null: it is none. */
  callOf(exchange: Exchange, method: string): CallMethod | null;
  readonly call: AnswerModernCall;
  /** To whatever is no call; methods that nobody knows included. */
  itself(exchange: Exchange, message: Message): JsonAnswer;
}

/** One for all doors: what one of them parked, a request at another may go on with. */
export const createModernAnswers = (parts: DoorParts): ModernAnswers => {
  const { info } = parts.deps;
  const answerCall = createAnswerModernCall(parts);
  const answerTask = createAnswerTask(parts);

  const answerItself = (exchange: Exchange, { method, params }: Message): string | DoorRefusal => {
    const surface = surfaceFor(exchange, params);
    if (method === "server/discover") return describeModern({ info, surface, provider: exchange.provider });
    const list = LIST_METHODS.get(method);
    if (!list || !offers(exchange, list)) return unknownMethod(method);
    const page = listPage(surface, list, { cursor: params["cursor"], era: "modern" });
    if (typeof page !== "string") return page;
    return `{"resultType":"complete","ttlMs":${surface.settled ? LIST_TTL_MS : 0},"cacheScope":"private",${page}}`;
  };

  return {
    callOf: (exchange, method) => {
      const called = isTaskMethod(method) ? TOOL_CALL : CALL_METHODS.get(method);
      return called && offers(exchange, called) ? called : null;
    },
    call: (request) => (isTaskMethod(request.message.method) ? answerTask(request) : answerCall(request)),
    itself: (exchange, message) => {
      const own = answerItself(exchange, message);
      if (typeof own !== "string") return refusedText(message.idText, own);
      return { status: 200, text: resultText(message.idText, own) };
    },
  };
};

export const refusedText = (id: string | null, refusal: DoorRefusal): JsonAnswer => ({
  status: refusal.status,
  text: refusalText(id, refusal),
  headers: refusal.headers,
});

const offers = (exchange: Exchange, { feature }: CallMethod | ListMethod): boolean =>
  exchange.provider === null || featuresOf(exchange.surface(), exchange.provider)[feature];

/** The envelope was checked: its capabilities are an object. */
const surfaceFor = (exchange: Exchange, params: JsonObject): Surface =>
  exchange.surface(viewOf({ value: (params["_meta"] as JsonObject)[META_CAPABILITIES] as JsonObject }));

const unknownMethod = (method: string): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32601,
    status: 404,
    message: `There is no method ${JSON.stringify(method.slice(0, 100))} here.`,
    next: "Ask server/discover what this endpoint offers.",
  });
