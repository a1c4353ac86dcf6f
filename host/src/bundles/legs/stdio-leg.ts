/**
 * The wire of a server process: lines in, lines out, and how it is noticed that there will be no more.
 */
import { setTimeout as delay } from "node:timers/promises";
import { NO_PORT, type ExtensionPort } from "../../kernel/host-extension.ts";
import type { Catalogue } from "../../kernel/provider.ts";
import type { ConnectionEnd, ConnectionEvents, ConnectionLimits, ServerProcess } from "../connection.ts";
import { Correlator, type Wire } from "./correlator.ts";
import type { Exchange } from "./exchange.ts";
import { frameNotification, modernDialect } from "./frame.ts";
import type { Opening } from "./handshake.ts";
import { Inbound } from "./inbound.ts";
import { answerUndelivered, messageTooLarge } from "./leg-refusals.ts";
import { LineCodec } from "../../kernel/line-codec.ts";
import type { Leg } from "./open-connection.ts";
import { sniffId } from "./sniff-id.ts";
import { StdioOutbox } from "./stdio-outbox.ts";
import { Subscriptions } from "./subscriptions.ts";

export interface StdioLegOptions {
  readonly limits: ConnectionLimits;
  readonly events: ConnectionEvents;
  readonly hostVersion: string;
  /** What the host offers to this server; absent: nothing. */
  readonly port?: ExtensionPort;
}

/** An exit and the end of the output belong together; the second is waited for this long. */
const LINGER_MS = 100;
const NOTED = 8_192;

export class StdioLeg implements Leg, Wire {
  readonly correlator: Correlator;
  readonly ended: Promise<ConnectionEnd>;
  readonly subscriptions: Subscriptions;
  readonly #options: StdioLegOptions;
  readonly #server: ServerProcess;
  readonly #outbox: StdioOutbox;
  readonly #codec: LineCodec;
  readonly #inbound: Inbound;
  readonly #onData = (chunk: Buffer): void => this.#read(chunk);
  readonly #resolveEnded: (end: ConnectionEnd) => void;
  #lost: string | null = null;
  #over = false;

  constructor(server: ServerProcess, options: StdioLegOptions) {
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.#options = options;
    this.#server = server;
    this.#outbox = new StdioOutbox(server.stdin, () => this.correlator.resume());
    this.correlator = new Correlator(this, options.limits, modernDialect(options.hostVersion, options.port ?? NO_PORT));
    this.subscriptions = new Subscriptions(this.correlator, options.events);
    this.#inbound = this.#createInbound();
    this.#codec = this.#createCodec();
    this.#attach();
  }

  writable(): boolean {
    return this.#outbox.writable();
  }

  send(exchange: Exchange, text: string): void {
    exchange.isOnWire = true;
    this.#outbox.send(text);
  }

  cancel(exchange: Exchange, reason: string): void {
    if (exchange.options.control && exchange.options.method !== "subscriptions/listen") return;
    const params = `"requestId":${exchange.id},"reason":${JSON.stringify(reason)}`;
    this.#outbox.send(frameNotification("notifications/cancelled", params));
  }

  /** An answer that nobody waits for is read and dropped; the pipe is not its own. */
  settled(): void {}

  notify(method: string): Promise<void> {
    this.#outbox.send(frameNotification(method));
    return Promise.resolve();
  }

  review(catalogue: Catalogue): Catalogue {
    return catalogue;
  }

  watch(opening: Opening): void {
    this.subscriptions.begin(opening);
  }

  /** Why the server is gone by itself; null when it is not. */
  lostBecause(): string | null {
    return this.#lost;
  }

  close(reason: string): Promise<void> {
    this.#end(reason);
    return Promise.resolve();
  }

  #read(chunk: Buffer): void {
    this.#codec.push(chunk);
    const room = this.#inbound.room();
    if (room === null) return;
    this.#server.stdout.pause();
    void room.then(() => this.#server.stdout.resume());
  }

  #createInbound(): Inbound {
    return new Inbound({
      correlator: this.correlator,
      events: this.#options.events,
      subscriptions: this.subscriptions,
      shared: true,
      reply: (text) => this.#outbox.reply(text),
      answer: (text, exchange) => {
        if (this.#outbox.answer(text)) return;
        this.correlator.fail(exchange, answerUndelivered("it asks and does not read"));
      },
      port: this.#options.port ?? NO_PORT,
      deliver: (text) => this.#outbox.deliver(text),
    });
  }

  #createCodec(): LineCodec {
    const { limits } = this.#options;
    const note = (text: string): void => this.#server.noteOutput(text.slice(0, NOTED));
    return new LineCodec(limits.maxMessageBytes, {
      line: (text) => {
        if (!this.#inbound.receive(text, null)) note(text);
      },
      broken: note,
      tooLarge: (head, tail) => {
        const call = this.correlator.find(sniffId(head, tail));
        if (call) this.correlator.fail(call, messageTooLarge(limits.maxMessageBytes));
        else note(`a message above ${limits.maxMessageBytes} bytes was skipped: ${head.slice(0, 200)}`);
      },
    });
  }

  #attach(): void {
    const { stdin, stdout, exited } = this.#server;
    const { promise: silent, resolve } = Promise.withResolvers<string>();
    stdout.on("data", this.#onData);
    for (const event of ["end", "close", "error"]) stdout.once(event, () => resolve("the server closed its output"));
    stdin.on("error", () => resolve("the server closed its input"));
    void this.#lose(silent, exited);
  }

  /** Both halves of an end are waited for, so that the last answers are read and the exit is named. */
  async #lose(silent: Promise<string>, exited: Promise<string>): Promise<void> {
    const reason = await Promise.race([exited, silent]);
    await Promise.race([Promise.all([exited, silent]), delay(LINGER_MS, null, { ref: false })]);
    this.#lost = await Promise.race([exited, Promise.resolve(reason)]);
    this.#end(this.#lost);
  }

  #end(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    const { stdout, stdin } = this.#server;
    stdout.off("data", this.#onData);
    // A late failure of a pipe must not become an uncaught error, and unread output must not block the server's exit.
    stdout.on("error", ignore).resume();
    stdin.on("error", ignore);
    this.correlator.end(reason);
    this.#resolveEnded({ reason, authRejected: false });
  }
}

const ignore = (): void => {};
