/**
 * The wire of a Streamable HTTP server: one POST a request, answered by JSON or by a stream of events.
 */
import { NO_PORT, type ExtensionPort } from "../../kernel/host-extension.ts";
import type { Catalogue } from "../../kernel/provider.ts";
import type { ConnectionEnd, ConnectionEvents, ConnectionLimits } from "../connection.ts";
import { Correlator, type Wire } from "./correlator.ts";
import { KNOWN_LEGACY } from "./era-memory.ts";
import { deliverAnswer } from "./deliver-answer.ts";
import type { Exchange } from "./exchange.ts";
import { failedExchange } from "./failed-exchange.ts";
import { followStream } from "./follow-stream.ts";
import { frameNotification, modernDialect } from "./frame.ts";
import { openConversation, type Opening } from "./handshake.ts";
import { isEventStream, isJson, type HttpClient, type HttpResponse } from "./http-client.ts";
import { describeFailure, isUnsent } from "./http-failure.ts";
import { HttpSession } from "./http-session.ts";
import { judgeStatus } from "./http-status.ts";
import { Inbound } from "./inbound.ts";
import { answerUndelivered, credentialRejected, notSent, unusableAnswer } from "./leg-refusals.ts";
import type { Leg } from "./open-connection.ts";
import { Patience } from "./patience.ts";
import { readBody } from "./read-body.ts";
import { reviewHeaders } from "./review-headers.ts";
import { Subscriptions } from "./subscriptions.ts";
import { watchNotices } from "./watch-notices.ts";

export interface HttpLegOptions {
  readonly limits: ConnectionLimits;
  readonly events: ConnectionEvents;
  readonly hostVersion: string;
  /** What the host offers to this server; absent: nothing. */
  readonly port?: ExtensionPort;
}

const MAX_REPLIES = 8;
const MAX_ERROR_BODY = 1_048_576;

export class HttpLeg implements Leg, Wire {
  readonly correlator: Correlator;
  readonly ended: Promise<ConnectionEnd>;
  readonly subscriptions: Subscriptions;
  readonly #options: HttpLegOptions;
  readonly #session: HttpSession;
  readonly #inbound: Inbound;
  readonly #requests = new Map<number, AbortController>();
  /** The call whose own response is being taken in: that one is read to its end, so that its socket can be used again. */
  #receiving: Exchange | null = null;
  /** Aborted at the end: closes every stream that belongs to no call. */
  readonly #life = new AbortController();
  readonly #resolveEnded: (end: ConnectionEnd) => void;
  #renewal: Promise<void> | null = null;
  #replies = 0;
  #closing: Promise<void> | null = null;
  /** Ends the standing stream of the session. */
  #notices = new AbortController();

  constructor(client: HttpClient, options: HttpLegOptions) {
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.#options = options;
    this.correlator = new Correlator(this, options.limits, modernDialect(options.hostVersion, options.port ?? NO_PORT));
    this.#session = new HttpSession(client, () => this.correlator.dialect);
    const { correlator } = this;
    const { events, port = NO_PORT } = options;
    const subscriptions = new Subscriptions(correlator, events);
    this.subscriptions = subscriptions;
    const reply = (text: string): void => void this.#reply(text);
    const answer = (text: string, exchange: Exchange): Promise<void> => this.#answer(text, exchange);
    const deliver = (text: string): Promise<void> => this.#deliver(text);
    this.#inbound = new Inbound({ correlator, events, subscriptions, shared: false, reply, answer, port, deliver });
  }

  /** While the session is made anew, calls wait for it. */
  writable(): boolean {
    return this.#renewal === null;
  }

  send(exchange: Exchange, text: string): void {
    void this.#run(exchange, text);
  }

  cancel(exchange: Exchange, reason: string): void {
    if (this.correlator.dialect.era === "modern" || exchange.options.control) {
      this.#requests.get(exchange.id)?.abort();
      return;
    }
    const params = `"requestId":${exchange.id},"reason":${JSON.stringify(reason)}`;
    void this.#tell(frameNotification("notifications/cancelled", params));
  }

  settled(exchange: Exchange): void {
    if (exchange !== this.#receiving) this.#requests.get(exchange.id)?.abort();
  }

  notify(method: string): Promise<void> {
    return this.#tell(frameNotification(method));
  }

  review(catalogue: Catalogue): Catalogue {
    if (this.correlator.dialect.era === "legacy") return catalogue;
    const reviewed = reviewHeaders(catalogue);
    this.#session.paramHeaders = reviewed.headers;
    return reviewed.catalogue;
  }

  watch(opening: Opening): void {
    const { events, limits } = this.#options;
    this.subscriptions.begin(opening);
    if (opening.era === "modern") return;
    this.#notices.abort();
    this.#notices = new AbortController();
    const signal = AbortSignal.any([this.#life.signal, this.#notices.signal]);
    const session = this.#session.id;
    const current = (): boolean => session === this.#session.id;
    void watchNotices({
      signal,
      maxBytes: limits.maxMessageBytes,
      open: (lastEventId) => this.#session.get(lastEventId, signal),
      onData: (data) => this.#receive(data, null),
      room: () => this.#inbound.room(),
      onReopened: () => missed(events),
      onUnreachable: (failure) => this.#lose(failure),
      onRefused: (status) => {
        if (!current()) return;
        if (status === 404 && session !== null) void this.#renew(session).catch(() => null);
        else this.#end(`the server does not continue the session (HTTP ${status})`, status === 401);
      },
    });
  }

  async close(reason: string): Promise<void> {
    this.#end(reason, false);
    await this.#closing;
  }

  async #run(exchange: Exchange, text: string): Promise<void> {
    const controller = new AbortController();
    this.#requests.set(exchange.id, controller);
    try {
      await this.#take(exchange, await this.#post(exchange, text, controller.signal), controller.signal);
    } catch (error) {
      this.#fail(exchange, error);
    } finally {
      this.#requests.delete(exchange.id);
    }
  }

  async #post(exchange: Exchange, text: string, signal: AbortSignal): Promise<HttpResponse> {
    const session = this.#session.id;
    const response = await this.#session.post(text, exchange, signal);
    if (response.status !== 404 || session === null || exchange.options.method === "initialize") return response;
    response.body.resume();
    exchange.isOnWire = false;
    await this.#renew(session);
    // The one more send that a definite rejection allows.
    return this.#session.post(text, exchange, signal);
  }

  async #take(exchange: Exchange, response: HttpResponse, signal: AbortSignal): Promise<void> {
    const { maxMessageBytes } = this.#options.limits;
    const done = (): boolean => exchange.phase === "settled";
    const { body, status } = response;
    if (status < 200 || status > 299) return this.#takeStatus(exchange, response);
    if (isEventStream(response)) {
      const legacy = this.correlator.dialect.era === "legacy";
      const resume = legacy ? (id: string): Promise<HttpResponse> => this.#session.get(id, signal) : null;
      const onData = (data: string): void => this.#receive(data, exchange);
      const room = (): Promise<void> | null => this.#inbound.room();
      await followStream({ first: response, maxBytes: maxMessageBytes, signal, done, resume, onData, room });
    } else if (isJson(response)) this.#receive(await readBody(body, maxMessageBytes), exchange);
    else body.destroy();
    if (!done()) throw unusableAnswer("no_answer", `HTTP ${status} without an answer to this request`);
  }

  async #takeStatus(exchange: Exchange, { body, status }: HttpResponse): Promise<void> {
    const text = await readBody(body, MAX_ERROR_BODY).catch(() => "");
    const verdict = judgeStatus(status, text, exchange);
    this.#requests.delete(exchange.id);
    if (verdict.kind === "reply") this.correlator.answer(exchange.id, verdict.reply);
    else if (verdict.kind === "failed") throw verdict.error;
    else {
      this.correlator.fail(exchange, credentialRejected(status));
      this.#end(`the server rejected our credential (HTTP ${status})`, true);
    }
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (exchange.phase === "settled") return;
    this.correlator.fail(exchange, failedExchange(exchange, error, this.#options.limits.maxMessageBytes));
    if (isUnsent(error)) this.#lose(error);
  }

  /** Calls that still run on other sockets are not given up because one could not connect. */
  #lose(failure: unknown): void {
    if (this.correlator.inFlight() === 0) this.#end(`unreachable: ${describeFailure(failure)}`, false);
  }

  async #renew(dead: string): Promise<void> {
    if (this.#session.id === dead) this.#renewal ??= this.#openAgain();
    await this.#renewal;
  }

  async #openAgain(): Promise<void> {
    this.#session.id = null;
    try {
      const { correlator } = this;
      const { hostVersion, events, port = NO_PORT } = this.#options;
      const initialized = (): Promise<void> => this.notify("notifications/initialized");
      const signal = this.#life.signal;
      const how = { eras: KNOWN_LEGACY, silenceTells: false };
      const opening = await openConversation({ correlator, hostVersion, signal, initialized, port, ...how });
      if (opening.era === "modern") throw new Error("the server speaks another era now");
      this.watch(opening);
      missed(events);
    } catch (error) {
      const reason = `the server ended the session, and a new one failed: ${describeFailure(error)}`;
      this.#end(reason, false);
      throw notSent(reason);
    } finally {
      this.#renewal = null;
      this.correlator.resume();
    }
  }

  #receive(text: string, via: Exchange | null): void {
    // Line breaks between tokens would end the message on a pipe or in a stream of events further on.
    const line = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, " ") : text;
    this.#receiving = via;
    try {
      this.#inbound.receive(line, via);
    } finally {
      this.#receiving = null;
    }
  }

  /** A server that floods us with questions gets no flood back. */
  async #reply(text: string): Promise<void> {
    if (this.#replies >= MAX_REPLIES) return;
    this.#replies++;
    await this.#tell(text);
    this.#replies--;
  }

  /** A caller's answer to a question. Without it the call does not go on. */
  async #answer(text: string, exchange: Exchange): Promise<void> {
    // A server that takes it and never says so keeps no socket; the call has its own deadline.
    const patience = new Patience(exchange.options.timeoutMs, this.#life.signal);
    try {
      const { status, body } = await this.#session.post(text, null, patience.signal);
      body.once("close", () => patience.end()).resume();
      if (status < 200 || status > 299) this.correlator.fail(exchange, answerUndelivered(`HTTP ${status}`));
    } catch (error) {
      if (patience.isOver()) return;
      patience.end();
      this.correlator.fail(exchange, answerUndelivered(describeFailure(error)));
      if (isUnsent(error)) this.#lose(error);
    }
  }

  #deliver(text: string): Promise<void> {
    return deliverAnswer((signal) => this.#session.post(text, null, signal), this.#life.signal);
  }

  /** Notifications and the host's own answers. What is wrong with the server the next request will say. */
  async #tell(text: string): Promise<void> {
    const sent = this.#session.post(text, null, this.#life.signal);
    await sent.then((response) => response.body.resume()).catch(() => null);
  }

  #end(reason: string, authRejected: boolean): void {
    if (this.#life.signal.aborted) return;
    this.#life.abort();
    this.correlator.end(reason);
    for (const request of this.#requests.values()) request.abort();
    this.#closing = this.#session.close();
    this.#resolveEnded({ reason, authRejected });
  }
}

/** Notices may have been missed. */
const missed = (events: ConnectionEvents): void => {
  events.listChanged();
  events.resourceUpdated(null);
};
