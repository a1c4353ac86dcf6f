/**
 * The wire of a server of the older HTTP transport (2024-11-05): one stream brings everything it says, and each message to
 * it is a POST to the address that the stream named first. All calls share the stream, as on a pipe.
 */
import type { Readable } from "node:stream";
import { NO_PORT, type ExtensionPort } from "../../kernel/host-extension.ts";
import type { Catalogue } from "../../kernel/provider.ts";
import type { ConnectionEnd, ConnectionEvents, ConnectionLimits } from "../connection.ts";
import { Correlator, type Wire } from "./correlator.ts";
import { deliverAnswer } from "./deliver-answer.ts";
import type { Exchange } from "./exchange.ts";
import { failedExchange } from "./failed-exchange.ts";
import { frameNotification, LEGACY_VERSIONS, legacyDialect } from "./frame.ts";
import type { Opening } from "./handshake.ts";
import type { HttpClient, HttpResponse } from "./http-client.ts";
import { describeFailure } from "./http-failure.ts";
import { headersFor } from "./http-headers.ts";
import { judgeStatus } from "./http-status.ts";
import { Inbound } from "./inbound.ts";
import { answerUndelivered, credentialRejected, messageTooLarge, unusableAnswer } from "./leg-refusals.ts";
import type { Leg } from "./open-connection.ts";
import { readBody } from "./read-body.ts";
import { sniffId } from "./sniff-id.ts";
import { SseEvents } from "./sse-events.ts";
import { Subscriptions } from "./subscriptions.ts";

export interface SseLegOptions {
  readonly limits: ConnectionLimits;
  readonly events: ConnectionEvents;
  /** What the host offers to this server; absent: nothing. */
  readonly port?: ExtensionPort;
}

const MAX_REPLIES = 8;
const MAX_ERROR_BODY = 1_048_576;
/** What a POST may take after its answer came over the stream, so that its socket can be used again. */
const LINGER_MS = 5_000;

export class SseLeg implements Leg, Wire {
  readonly correlator: Correlator;
  readonly ended: Promise<ConnectionEnd>;
  readonly subscriptions: Subscriptions;
  /** The address for messages, as the stream names it. Rejects when the stream ends before. */
  readonly endpoint: Promise<string>;
  readonly #stream: Readable;
  readonly #maxBytes: number;
  readonly #inbound: Inbound;
  readonly #requests = new Map<number, AbortController>();
  readonly #life = new AbortController();
  readonly #resolveEnded: (end: ConnectionEnd) => void;
  readonly #named = Promise.withResolvers<string>();
  /** Where messages go, once the address is known. */
  client: HttpClient | null = null;
  #replies = 0;

  constructor(stream: Readable, { limits, events, port = NO_PORT }: SseLegOptions) {
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.endpoint = this.#named.promise;
    this.endpoint.catch(() => {});
    this.#stream = stream;
    this.#maxBytes = limits.maxMessageBytes;
    this.correlator = new Correlator(this, limits, legacyDialect(LEGACY_VERSIONS[0] as string));
    const { correlator } = this;
    const subscriptions = new Subscriptions(correlator, events);
    this.subscriptions = subscriptions;
    const reply = (text: string): void => void this.#reply(text);
    const answer = (text: string, exchange: Exchange): Promise<void> => this.#answer(text, exchange);
    const deliver = (text: string): Promise<void> => this.#deliver(text);
    this.#inbound = new Inbound({ correlator, events, subscriptions, shared: true, reply, answer, port, deliver });
    this.#attach();
  }

  writable(): boolean {
    return true;
  }

  send(exchange: Exchange, text: string): void {
    void this.#run(exchange, text);
  }

  cancel(exchange: Exchange, reason: string): void {
    if (exchange.options.control) return;
    const params = `"requestId":${exchange.id},"reason":${JSON.stringify(reason)}`;
    void this.#tell(frameNotification("notifications/cancelled", params));
  }

  settled(exchange: Exchange): void {
    const request = this.#requests.get(exchange.id);
    if (request) setTimeout(() => request.abort(), LINGER_MS).unref();
  }

  notify(method: string): Promise<void> {
    return this.#tell(frameNotification(method));
  }

  review(catalogue: Catalogue): Catalogue {
    return catalogue;
  }

  watch(opening: Opening): void {
    this.subscriptions.begin(opening);
  }

  close(reason: string): Promise<void> {
    this.#end(reason, false);
    return this.client?.close() ?? Promise.resolve();
  }

  #attach(): void {
    const fail = (head: string, tail: string, error: Error): void => {
      const call = this.correlator.find(sniffId(head, tail));
      if (call) this.correlator.fail(call, error);
    };
    const events = new SseEvents(this.#maxBytes, {
      event: (type, data) => {
        if (type === "endpoint") this.#named.resolve(data);
        else if (type === "message") this.#inbound.receive(data, null);
      },
      broken: (reason, head, tail) => {
        const large = reason === "message_too_large";
        fail(head, tail, large ? messageTooLarge(this.#maxBytes) : unusableAnswer(reason, "it is not UTF-8"));
      },
    });
    this.#stream.on("data", (chunk: Buffer) => {
      if (this.#life.signal.aborted) return;
      events.push(chunk);
      const room = this.#inbound.room();
      if (room === null) return;
      this.#stream.pause();
      void room.then(() => this.#stream.resume());
    });
    this.#stream.once("error", (error) => this.#end(`the stream broke off: ${describeFailure(error)}`, false));
    this.#stream.once("close", () => this.#end("the server closed its stream", false));
  }

  async #run(exchange: Exchange, text: string): Promise<void> {
    const request = new AbortController();
    this.#requests.set(exchange.id, request);
    try {
      const response = await this.#post(text, exchange, request.signal);
      if (response.status < 200 || response.status > 299) await this.#takeStatus(exchange, response);
      else response.body.resume();
    } catch (error) {
      if (exchange.phase !== "settled") {
        this.correlator.fail(exchange, failedExchange(exchange, error, this.#maxBytes));
      }
    } finally {
      this.#requests.delete(exchange.id);
    }
  }

  async #takeStatus(exchange: Exchange, { body, status }: HttpResponse): Promise<void> {
    const verdict = judgeStatus(status, await readBody(body, MAX_ERROR_BODY).catch(() => ""), exchange);
    if (verdict.kind === "reply") this.correlator.answer(exchange.id, verdict.reply);
    else if (verdict.kind === "failed") this.correlator.fail(exchange, verdict.error);
    else this.correlator.fail(exchange, credentialRejected(status));
    if (verdict.kind === "auth") this.#end(`the server rejected our credential (HTTP ${status})`, true);
    else if (status === 404) this.#end("the server does not know its stream any more (HTTP 404)", false);
  }

  #post(text: string, exchange: Exchange | null, signal: AbortSignal): Promise<HttpResponse> {
    if (this.client === null) return Promise.reject(new Error("the server has not named its address yet"));
    const headers = headersFor({ dialect: this.correlator.dialect, sessionId: null, exchange });
    return this.client.request({ method: "POST", headers, body: text, signal, sending: exchange });
  }

  /** A caller's answer to a question. Without it the call does not go on. */
  async #answer(text: string, exchange: Exchange): Promise<void> {
    try {
      const { status, body } = await this.#post(text, null, this.#life.signal);
      body.resume();
      if (status < 200 || status > 299) this.correlator.fail(exchange, answerUndelivered(`HTTP ${status}`));
    } catch (error) {
      this.correlator.fail(exchange, answerUndelivered(describeFailure(error)));
    }
  }

  /** A server that floods us with questions gets no flood back. */
  async #reply(text: string): Promise<void> {
    if (this.#replies >= MAX_REPLIES) return;
    this.#replies++;
    await this.#tell(text);
    this.#replies--;
  }

  #deliver(text: string): Promise<void> {
    return deliverAnswer((signal) => this.#post(text, null, signal), this.#life.signal);
  }

  async #tell(text: string): Promise<void> {
    const sent = this.#post(text, null, this.#life.signal);
    await sent.then((response) => response.body.resume()).catch(() => null);
  }

  #end(reason: string, authRejected: boolean): void {
    if (this.#life.signal.aborted) return;
    this.#life.abort();
    this.#named.reject(new Error(reason));
    this.#stream.destroy();
    this.correlator.end(reason);
    for (const request of this.#requests.values()) request.abort();
    this.#resolveEnded({ reason, authRejected });
  }
}
