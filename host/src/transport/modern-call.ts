/**
 * A call of the modern era, from its params to the text of its answer. A server's questions end the request as
 * `input_required`; the state that leaves with them says what the retry goes on with.
 */
import { NOBODY, NOTHING_DECLARED, type Asker, type Declared } from "../kernel/ask.ts";
import type { Answer, Continued } from "../kernel/call.ts";
import type { Envelope } from "../kernel/envelope.ts";
import type { CallInput, CallListener } from "../kernel/provider.ts";
import { rawJson, rawMembers, type RawJson } from "../kernel/raw-json.ts";
import { insertMembers, memberOf } from "../kernel/scan-json.ts";
import { viewOf } from "../kernel/surface.ts";
import { declaresTasks } from "../kernel/tasks.ts";
import { approvalQuestion, pendingApproval, pendingIn, sameCall, takesPages, wentThere } from "./approval-question.ts";
import type { CallMethod } from "./call-methods.ts";
import { canBeAsked } from "./can-be-asked.ts";
import { createCallNotices, SILENT } from "./call-notices.ts";
import { checkParamHeaders } from "./check-headers.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import { fitModern } from "./fit-reply.ts";
import { HeldCall, type Turn } from "./held-call.ts";
import { readInputResponses } from "./input-responses.ts";
import type { Message } from "./message.ts";
import type { NoticeSink } from "./notice-sink.ts";
import { isObject, META_CAPABILITIES, type JsonObject } from "./protocol.ts";
import { readCallParams, type CallParams } from "./read-call-params.ts";
import { readDeclared } from "./read-declared.ts";
import { digestRequest, refuseState, RequestStates, type StateBond, type StateCheck } from "./request-state.ts";
import { refusalText, replyText, resultText } from "./rpc-text.ts";
import type { CallOrder } from "./run-call.ts";
import type { JsonAnswer } from "./send-json.ts";
import { ownerOf } from "./sessions.ts";

const MISSING_CAPABILITY = -32021;

export interface ModernRequest {
  readonly exchange: Exchange;
  readonly message: Message;
  readonly method: CallMethod;
  readonly reply: NoticeSink;
  /** What closing the response aborts; a retry puts the call there that it goes on with. */
  abort: AbortController;
}

/** What the request says. */
interface Given {
  readonly params: CallParams;
  readonly declared: Declared;
}

/** What it goes on with. */
interface Going {
  readonly continues: Continued | null;
  readonly input: CallInput | null;
  readonly envelope?: Envelope;
  /** Until a person decides; absent: as long as such a caller does. */
  readonly approvalWaitMs?: number;
}

export type AnswerModernCall = (request: ModernRequest) => Promise<JsonAnswer>;

export const createAnswerModernCall = ({ deps, runCall, held, approvalPage }: DoorParts): AnswerModernCall => {
  const states = new RequestStates(deps.seals);
  const pageOf = ({ principal }: Exchange, id: string): string | null => approvalPage(id, principal.workspace);
  const holdMs = deps.limits.approvalWaitSeconds * 1000;

  /** Who can be told in another way is not kept waiting. */
  const waitOf = ({ exchange, method }: ModernRequest, declared: Declared): number => {
    const { operation } = method;
    if (operation === "call" && declaresTasks(declared)) return 0;
    const isSent = operation !== "complete" && takesPages(declared) && pageOf(exchange, "") !== null;
    return isSent ? 0 : holdMs;
  };

  /** Sends the person to the page where it is decided; null: this is not what the call waits for, or there is no page. */
  const askForApproval = (request: ModernRequest, answer: Answer): RawJson | null => {
    const no = pendingIn(answer);
    if (no === null || request.method.operation === "complete" || !takesPages(readDeclared(request.message)))
      return null;
    const pending = pendingApproval(answer, no);
    const url = pageOf(request.exchange, pending.approval);
    if (url === null) return null;
    return approvalQuestion(url, no.message, states.sealApproval(bondOf(request), pending));
  };

  const finish = (request: ModernRequest, answer: Answer): JsonAnswer => {
    const { message, method } = request;
    const { ending } = answer;
    const question = askForApproval(request, answer);
    if (question !== null) return { status: 200, text: resultText(message.idText, question) };
    if (ending.kind !== "input") {
      const reply = fitModern(deps.shape.mcp(answer, method.operation), method.operation);
      const lacking = ending.kind === "error" && ending.code === MISSING_CAPABILITY;
      return { status: lacking ? 400 : 200, text: replyText(message.idText, reply) };
    }
    const state = states.sealInput(bondOf(request), ending.wanted);
    const json = withState(ending.wanted.result, state);
    return { status: 200, text: resultText(message.idText, json) };
  };

  const finishTurn = (request: ModernRequest, turn: Turn): JsonAnswer =>
    turn.kind === "answer"
      ? finish(request, turn.answer)
      : { status: 200, text: resultText(request.message.idText, turn.json) };

  const hold = (request: ModernRequest, declared: Declared, listener: CallListener): HeldCall =>
    new HeldCall({
      table: held,
      states,
      owner: ownerOf(request.exchange.principal),
      chars: request.message.text.length,
      scopes: request.exchange.principal.scopes,
      bond: () => bondOf(request),
      abort: request.abort,
      declared,
      listener,
      presented: request.exchange.presented,
    });

  const begin = (request: ModernRequest, { params, declared }: Given, going: Going) => {
    const { provider, presented, principal, verified } = request.exchange;
    const { operation } = request.method;
    const listener = listenerOf(request, params);
    const call = operation === "complete" || !canBeAsked(declared) ? null : hold(request, declared, listener);
    const plain: CallOrder = {
      door: "mcp",
      operation,
      provider,
      params,
      presented,
      principal,
      verified,
      call: request.abort,
      listener: call ?? listener,
      asker: call ?? unasked(declared, operation !== "complete"),
      input: going.input,
      continues: going.continues,
      approvalWaitMs: going.approvalWaitMs ?? waitOf(request, declared),
    };
    const order = going.envelope === undefined ? plain : { ...plain, envelope: going.envelope };
    if (call === null) return runCall(order, (answer) => finish(request, answer));
    return call.start(runCall(order)).then((turn) => finishTurn(request, turn));
  };

  const refuse = (request: ModernRequest, check: StateCheck): JsonAnswer => {
    deps.stateRejected(request.exchange.principal.id, check);
    return refused(request.message, refuseState(check));
  };

  const retry = async (request: ModernRequest, given: Given, state: unknown): Promise<JsonAnswer> => {
    const opened = states.open(state, bondOf(request));
    if (opened.kind === "wrong") return refuse(request, opened.check);
    const { params, declared } = given;
    const { responses } = params;
    if (opened.kind === "continues") {
      const { continues } = opened;
      const known = request.method.operation === "read" ? { ...params, providerHint: opened.provider } : params;
      return begin(request, { params: known, declared }, { continues, input: { responses, state: opened.state } });
    }
    if (opened.kind === "approval") {
      const approvalWaitMs = wentThere(responses) ? holdMs : 0;
      return begin(request, given, { continues: null, input: null, envelope: sameCall(opened), approvalWaitMs });
    }
    const call = held.find(opened.nonce);
    if (call === null) return refuse(request, "used");
    const { principal, presented } = request.exchange;
    if (!call.isInReachOf(principal.scopes)) return refuse(request, "principal");
    held.take(opened.nonce);
    request.abort = call.abort;
    const attendance = { declared, listener: listenerOf(request, params), presented };
    return finishTurn(request, await call.resume(attendance, readInputResponses(responses)));
  };

  return (request) => {
    const { exchange, message, method } = request;
    const params = readCallParams(message, method.operation);
    if ("refusal" in params) return Promise.resolve(refused(message, params));
    const given = { params, declared: declaredBy(message, params) };
    const wrong = defectOf(exchange, message, given);
    if (wrong) return Promise.resolve(refused(message, wrong));
    const state = message.params["requestState"];
    if (state !== undefined) return retry(request, given, state);
    const { responses } = params;
    return begin(request, given, { continues: null, input: responses === null ? null : { responses, state: null } });
  };
};

const refused = ({ idText }: Message, refusal: DoorRefusal): JsonAnswer => ({
  status: refusal.status,
  text: refusalText(idText, refusal),
});

const defectOf = (exchange: Exchange, message: Message, { params, declared }: Given): DoorRefusal | null => {
  const { inputResponses } = message.params;
  if (inputResponses !== undefined && !isObject(inputResponses)) return badResponses();
  const { headers } = exchange;
  if (message.method !== "tools/call" || headers === null) return null;
  const wanted = exchange.surface(viewOf(declared)).paramHeaders(params.name);
  return wanted.length === 0 ? null : checkParamHeaders(headers, wanted, params.args);
};

const badResponses = (): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32602,
    status: 200,
    message: "params.inputResponses is not an object.",
    next: "Send an object with an answer for each key of inputRequests.",
  });

/** The result with our state in place of the server's own; all else as it came. */
const withState = (result: RawJson, state: string): RawJson => {
  const own = memberOf(result, "requestState");
  if (own === null) return insertMembers(result, rawMembers(`"requestState":"${state}"`));
  return rawJson(`${result.slice(0, own.start)}"${state}"${result.slice(own.end)}`);
};

/** Digested only when a state is made or comes back. */
const bondOf = ({ exchange, message, method }: ModernRequest): StateBond => ({
  owner: ownerOf(exchange.principal),
  endpoint: exchange.provider,
  digest: digestRequest(message.method, method.operation, message.params),
});

const declaredBy = ({ params }: Message, { capabilities }: CallParams): Declared => {
  if (capabilities === null || capabilities === "{}") return NOTHING_DECLARED;
  return { json: capabilities, value: (params["_meta"] as JsonObject)[META_CAPABILITIES] as JsonObject };
};

const RETURNING: Asker = Object.freeze({ ...NOBODY, returns: true });

/** Completions have no form for a question. */
const unasked = (declared: Declared, returns: boolean): Asker => {
  if (declared === NOTHING_DECLARED) return returns ? RETURNING : NOBODY;
  return { ...NOBODY, declared, returns };
};

const listenerOf = ({ reply }: ModernRequest, { progressToken, logLevel }: CallParams): CallListener =>
  progressToken === null && logLevel === null
    ? SILENT
    : createCallNotices(reply, { progressToken, level: () => logLevel });
