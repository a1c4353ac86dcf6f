/**
 * The wire of a Streamable HTTP server: one POST a request, answered by JSON or by a stream of events.
 */
import type { Catalogue } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { ConnectionEnd, ConnectionEvents, ConnectionLimits } from "../connection.ts";
import { Correlator, type Wire } from "./correlator.ts";
import type { Exchange } from "./exchange.ts";
import { followStream } from "./follow-stream.ts";
import { frameNotification, modernDialect } from "./frame.ts";
import { openConversation, type Opening } from "./handshake.ts";
import { isEventStream, isJson, type HttpClient, type HttpResponse } from "./http-client.ts";
import { describeFailure, isUnsent } from "./http-failure.ts";
import { HttpSession } from "./http-session.ts";
import { judgeStatus } from "./http-status.ts";
import { Inbound } from "./inbound.ts";
import { keepListening } from "./keep-listening.ts";
import { credentialRejected, messageTooLarge, notSent, unknownOutcome, unusableAnswer } from "./leg-refusals.ts";
import type { Leg } from "./open-connection.ts";
import { readBody, UnreadableBody } from "./read-body.ts";
import { reviewHeaders } from "./review-headers.ts";
import { watchNotices } from "./watch-notices.ts";

export interface HttpLegOptions {
  readonly limits: ConnectionLimits;
  readonly events: ConnectionEvents;
  readonly hostVersion: string;
}

const MAX_REPLIES = 8;
const MAX_ERROR_BODY = 1_048_576;

export class HttpLeg implements Leg, Wire {
  readonly correlator: Correlator;
  readonly ended: Promise<ConnectionEnd>;
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

  constructor(client: HttpClient, options: HttpLegOptions) {
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.#options = options;
    this.correlator = new Correlator(this, options.limits, modernDialect(options.hostVersion));
    this.#session = new HttpSession(client, () => this.correlator.dialect);
    const reply = (text: string): void => void this.#reply(text);
    this.#inbound = new Inbound({ correlator: this.correlator, events: options.events, shared: false, reply });
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
    if (opening.era === "modern") {
      void keepListening({ correlator: this.correlator, opening, events });
      return;
    }
    const { signal } = this.#life;
    const session = this.#session.id;
    const current = (): boolean => session === this.#session.id;
    void watchNotices({
      signal,
      maxBytes: limits.maxMessageBytes,
      open: (lastEventId) => this.#session.get(lastEventId, signal),
      onData: (data) => this.#receive(data, null),
      onReopened: () => events.listChanged(),
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
      await followStream({ first: response, maxBytes: maxMessageBytes, signal, done, resume, onData });
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
    this.correlator.fail(exchange, this.#reasonOf(exchange, error));
    if (isUnsent(error)) this.#lose(error);
  }

  #reasonOf(exchange: Exchange, error: unknown): Error {
    if (error instanceof Refusal) return error;
    const said = describeFailure(error);
    if (error instanceof UnreadableBody) {
      const large = error.reason === "message_too_large";
      return large ? messageTooLarge(this.#options.limits.maxMessageBytes) : unusableAnswer(error.reason, said);
    }
    if (exchange.options.control) return new Error(isUnsent(error) ? `unreachable: ${said}` : said);
    if (isUnsent(error)) return notSent(`unreachable: ${said}`, "unreachable");
    if (!exchange.isOnWire) return notSent(said);
    if (exchange.phase === "ending") return unknownOutcome(exchange.why, "it was given up while it ran");
    return unknownOutcome("connection_lost", said);
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
      const { hostVersion, events } = this.#options;
      const initialized = (): Promise<void> => this.notify("notifications/initialized");
      const signal = this.#life.signal;
      this.watch(await openConversation({ correlator, hostVersion, signal, initialized, skipProbe: true }));
      events.listChanged();
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

  /** Notifications and answers. What is wrong with the server the next request will say. */
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
