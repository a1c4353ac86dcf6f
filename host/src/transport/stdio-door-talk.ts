/**
 * What one client says on a pipe, line by line, and what it is answered: both eras, requests side by side. A legacy client
 * has one session here. It knows nothing of the pipe but where lines go.
 */
import { Roster } from "../kernel/roster.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { CallMethod } from "./call-methods.ts";
import { callerLeft } from "./caller-left.ts";
import { classifyRequest } from "./classify-request.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import { takeUnanswered } from "./legacy-answers.ts";
import { CANCELLED, takeNotice } from "./legacy-methods.ts";
import type { DoorAnswers } from "./mcp-door.ts";
import { readMessage, type Message } from "./message.ts";
import type { ModernRequest } from "./modern-call.ts";
import { openSession } from "./open-session.ts";
import { oversizedId } from "./oversized-id.ts";
import { parseLine, type ParsedBody } from "./parse-body.ts";
import { isObject, type JsonObject } from "./protocol.ts";
import { readBatch } from "./read-batch.ts";
import { requestIdOf } from "./request-id-of.ts";
import { internalErrorText, refusalText, resultText } from "./rpc-text.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { StdioOutput } from "./stdio-door-output.ts";
import { StdioReply } from "./stdio-door-reply.ts";
import { StdioStream } from "./stdio-door-stream.ts";

export interface TalkOptions {
  readonly parts: DoorParts;
  readonly answers: DoorAnswers;
  readonly sessions: Sessions;
  /** The same for every line: who speaks, and on which endpoint. */
  readonly exchange: Exchange;
  readonly output: StdioOutput;
}

interface ModernCall {
  readonly request: ModernRequest;
  /** Nothing is owed for it any more. */
  readonly settle: () => void;
}

export class StdioTalk {
  readonly #options: TalkOptions;
  readonly #calls = new Roster<ModernCall>();
  readonly #listens = new Map<unknown, StdioStream>();
  readonly #over = Promise.withResolvers<void>();
  #session: Session | null = null;
  #hears = false;
  #owed = 0;
  #inputEnded = false;

  constructor(options: TalkOptions) {
    this.#options = options;
  }

  /** Resolves when the client has said all and was answered, or is gone. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  line(text: string): void {
    if (this.#inputEnded) return;
    let id: string | null = null;
    try {
      const body = parseLine(text);
      if ("refusal" in body) return this.#refuse(null, body);
      id = requestIdOf(body.value);
      const refusal = this.#take(body);
      if (refusal !== null && !isNotice(body.value)) this.#refuse(id, refusal);
    } catch (error) {
      this.#options.parts.deps.report(error);
      this.#options.output.say(internalErrorText(id));
    }
  }

  broken(): void {
    const [message, next] = ["The line is not valid UTF-8.", "Encode the JSON text as UTF-8."];
    this.#refuse(null, doorRefusal("bad_request", { message, next }));
  }

  /** Of a line that was too long to keep only its two ends are known. */
  tooLarge(head: string, tail: string): void {
    const { maxRequestBytes } = this.#options.parts.deps.limits;
    const message = `The line is larger than ${maxRequestBytes} bytes.`;
    const next = "Send less in one request, or raise mcp.maxRequestBytes in bailiwick.json.";
    this.#refuse(oversizedId(head, tail), doorRefusal("too_large", { message, next }));
  }

  /** Nothing more is said: what was asked is still answered, and nobody can be asked back. */
  endInput(): void {
    this.#inputEnded = true;
    this.#session?.asks.end();
    for (const stream of this.#listens.values()) stream.end();
    if (this.#owed === 0) this.#over.resolve();
  }

  /** Nobody reads any more. Calls of the modern era end with their caller, those of a legacy session go on. */
  lost(): void {
    for (const { request } of this.#calls) request.abort.abort(callerLeft());
    this.endInput();
    this.#over.resolve();
  }

  /** Ends every call; they are still answered, if that is quick. */
  stop(reason: Refusal): void {
    for (const { request } of this.#calls) request.abort.abort(reason);
    for (const { call } of this.#session?.calls ?? []) call.abort(reason);
    this.endInput();
  }

  release(): void {
    if (this.#session !== null) this.#options.sessions.end(this.#session);
    for (const stream of this.#listens.values()) stream.end();
  }

  #take(body: ParsedBody): DoorRefusal | null {
    const { value } = body;
    const kind = classifyRequest({
      httpMethod: "POST",
      versionHeader: undefined,
      methodHeader: undefined,
      body: value,
    });
    if ("refusal" in kind) return kind;
    if (kind.kind === "response") {
      this.#session?.asks.take({ text: body.text, value: value as JsonObject }, this.#options.exchange.presented);
      return null;
    }
    if (kind.kind === "batch") return this.#batch(body);
    const message = readMessage(body.text, value as JsonObject);
    if (kind.kind === "initialize") return this.#initialize(message);
    if (kind.kind === "notification") return this.#notice(message);
    return kind.era === "modern" ? this.#modern(message) : this.#legacy(message);
  }

  /** A client may leave the envelope out here, so the era does not matter. */
  #notice(message: Message): null {
    const session = this.#liveSession();
    if (session !== null) takeNotice(session, message);
    if (message.method !== "notifications/cancelled") return null;
    const { requestId } = message.params;
    for (const { request, settle } of this.#calls) {
      if (request.message.id !== requestId) continue;
      request.abort.abort(CANCELLED);
      settle();
    }
    this.#listens.get(requestId)?.end();
    return null;
  }

  #modern(message: Message): DoorRefusal | null {
    const { answers, exchange, parts, output } = this.#options;
    const called = answers.modern.callOf(exchange, message.method);
    if (called !== null) {
      void this.#call(message, called);
      return null;
    }
    if (message.method === "subscriptions/listen") {
      return parts.listens.open(exchange, message, () => this.#openListen(message));
    }
    output.say(answers.modern.itself(exchange, message).text);
    return null;
  }

  async #call(message: Message, method: CallMethod): Promise<void> {
    const { answers, exchange, parts, output } = this.#options;
    const reply = new StdioReply(output);
    const request: ModernRequest = { exchange, message, method, reply, abort: new AbortController() };
    const settle = this.#owe();
    const place = this.#calls.add({ request, settle });
    try {
      const said = await answers.modern.call(request);
      reply.finish(request.abort.signal.reason === CANCELLED ? null : said);
    } catch (error) {
      reply.finish({ status: 500, text: internalErrorText(message.idText) });
      parts.deps.report(error);
    } finally {
      this.#calls.remove(place);
      settle();
    }
  }

  #openListen({ id }: Message): StdioStream {
    const stream = new StdioStream(this.#options.output);
    this.#listens.get(id)?.end();
    this.#listens.set(id, stream);
    stream.onClose(() => this.#listens.delete(id));
    return stream;
  }

  #initialize(message: Message): DoorRefusal | null {
    if (this.#liveSession() !== null) return oneSession();
    const { parts, sessions, exchange, output } = this.#options;
    const opened = openSession({ deps: parts.deps, sessions, exchange }, message);
    if ("refusal" in opened) return opened;
    this.#session = opened.session;
    this.#hears = false;
    output.say(opened.answer.text);
    return null;
  }

  #legacy(message: Message): DoorRefusal | null {
    const { answers, exchange, output } = this.#options;
    const session = this.#liveSession();
    if (session === null) {
      if (message.method !== "ping") return noSession();
      output.say(resultText(message.idText, "{}"));
      return null;
    }
    const settle = this.#owe();
    const call = new AbortController();
    call.signal.addEventListener("abort", () => call.signal.reason === CANCELLED && settle());
    void answers.legacy.one({ exchange, session, message, reply: new StdioReply(output), call }, (answer, reply) => {
      reply.finish(answer);
      settle();
    });
    return null;
  }

  #batch(body: ParsedBody): DoorRefusal | null {
    const { answers, exchange, output } = this.#options;
    const session = this.#liveSession();
    if (session === null) return noSession();
    const batch = readBatch(body, session);
    if ("refusal" in batch) return batch;
    const requests = takeUnanswered(session, batch, exchange.presented);
    if (requests.length === 0) return null;
    const settle = this.#owe();
    answers.legacy.batch({ exchange, session, reply: new StdioReply(output) }, requests, (answer, reply) => {
      reply.finish(answer);
      settle();
    });
    return null;
  }

  /** The session, as long as nobody ended it. Notices begin with the first message after the handshake. */
  #liveSession(): Session | null {
    const { sessions, exchange, output } = this.#options;
    const session = this.#session && sessions.find(this.#session.id, exchange.principal, exchange.provider);
    if (session !== null && !this.#hears) {
      this.#hears = true;
      session.streams.add({ stream: new StdioStream(output), mayHear: () => true, missed: [] });
    }
    return session;
  }

  /** One more answer is owed, until the returned function is called. */
  #owe(): () => void {
    this.#owed++;
    let owes = true;
    return () => {
      if (!owes) return;
      owes = false;
      this.#owed--;
      if (this.#inputEnded && this.#owed === 0) this.#over.resolve();
    };
  }

  #refuse(id: string | null, refusal: DoorRefusal): void {
    this.#options.output.say(refusalText(id, refusal));
  }
}

/** A message that nobody waits for an answer to. */
const isNotice = (value: unknown): boolean =>
  isObject(value) && typeof value["method"] === "string" && value["id"] === undefined;

const oneSession = (): DoorRefusal =>
  doorRefusal("bad_request", {
    message: "This connection has its session already.",
    next: "Go on with it; start another bailiwick mcp for another session.",
  });

const noSession = (): DoorRefusal =>
  doorRefusal("bad_request", {
    message: "There is no session: initialize was not sent, or the session was ended.",
    next: "Send initialize first; or speak 2026-07-28, which has no sessions.",
  });
