/**
 * What an upstream says, brought to whom it concerns: answers to the correlator, progress and logs to the caller, change
 * notices to the supervisor. Of what a server asks, `ping` is answered here; the rest is for the host's extensions, for the
 * caller, or not known.
 */
import { askError, type AskAnswer } from "../../kernel/ask.ts";
import { EXTENSION_METHODS, type ExtensionPort } from "../../kernel/host-extension.ts";
import { rawJson, rawMembers, type RawMembers } from "../../kernel/raw-json.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";
import type { ConnectionEvents } from "../connection.ts";
import { Asks, isQuestion } from "./asks.ts";
import { Completions } from "./completions.ts";
import type { Correlator } from "./correlator.ts";
import type { Exchange } from "./exchange.ts";
import { ExtensionDesk } from "./extension-desk.ts";
import { frameAnswer } from "./frame.ts";
import { readMessages, type Message, type ServerRequest } from "./read-message.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface InboundOptions {
  readonly correlator: Correlator;
  readonly events: ConnectionEvents;
  readonly subscriptions: Subscriptions;
  /** True on a pipe that carries all calls: a notice then says nothing about whose it is. */
  readonly shared: boolean;
  /** Sends what the host itself answers to a request of the server; may be dropped when there are too many. */
  readonly reply: (text: string) => void;
  /** Sends what the caller of this exchange answers, which is never dropped: if it cannot be sent, the call fails. */
  readonly answer: (text: string, exchange: Exchange) => Promise<void> | void;
  /** Who serves the host's own extensions. */
  readonly port: ExtensionPort;
  /** Sends what they answer, which is never dropped; resolves when the wire has taken it. */
  readonly deliver: (text: string) => Promise<void>;
}

const METHOD_NOT_FOUND = -32601;
const URL_ELICITATION_REQUIRED = -32042;
const PONG: AskAnswer = { kind: "result", json: rawJson("{}") };

export class Inbound {
  readonly #options: InboundOptions;
  readonly #asks: Asks;
  readonly #completions = new Completions();
  readonly #desk: ExtensionDesk;

  constructor(options: InboundOptions) {
    this.#options = options;
    this.#asks = new Asks({ ...options, completions: this.#completions });
    const { port, deliver, correlator } = options;
    this.#desk = new ExtensionDesk({ port, deliver, over: () => correlator.over() });
  }

  /** Null: more may be read; else resolves when it may. */
  room(): Promise<void> | null {
    return this.#desk.room();
  }

  /**
   * `via` is the call whose own stream brought the text; null when it came beside the calls.
   * False: the text is no message.
   */
  receive(text: string, via: Exchange | null): boolean {
    const messages = readMessages(text);
    for (const message of messages) this.#take(message, via);
    return messages.length > 0;
  }

  #take(message: Message, via: Exchange | null): void {
    if (message.kind === "answer") this.#answer(message);
    else if (message.kind === "request") this.#request(message, via);
    else this.#notice(message, via);
  }

  #answer({ id, reply }: Message & { kind: "answer" }): void {
    const { correlator } = this.#options;
    const isPage = reply?.kind === "error" && reply.code === URL_ELICITATION_REQUIRED;
    if (isPage && correlator.dialect.era === "legacy") {
      this.#completions.expectAll(reply.data, correlator.find(id));
    }
    correlator.answer(id, reply);
  }

  #request(request: ServerRequest, via: Exchange | null): void {
    const { correlator, reply } = this.#options;
    const { id, method } = request;
    // A modern server has another way to ask.
    const mayAsk = correlator.dialect.era === "legacy";
    if (mayAsk && isQuestion(request)) this.#asks.take(request, via);
    else if (mayAsk && method.startsWith(EXTENSION_METHODS)) this.#desk.take(request);
    else if (method === "ping") reply(frameAnswer(id, PONG));
    else reply(frameAnswer(id, askError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 200)}`)));
  }

  #notice(notice: Message & { kind: "notification" }, via: Exchange | null): void {
    const { correlator, events } = this.#options;
    switch (notice.method) {
      case "notifications/progress": {
        const call = correlator.find(notice.params?.["progressToken"]);
        if (!call) return;
        correlator.touch(call);
        call.options.listener?.progress(membersWithout(notice.paramsJson, "progressToken"));
        return;
      }
      case "notifications/message": {
        // With several calls on one pipe nobody can say whose log it is: then it is nobody's.
        const call = via ?? (this.#options.shared ? correlator.only() : null);
        if (!call || notice.params === null) return;
        correlator.touch(call);
        call.options.listener?.log(membersWithout(notice.paramsJson, null));
        return;
      }
      case "notifications/tools/list_changed":
      case "notifications/prompts/list_changed":
      case "notifications/resources/list_changed":
        events.listChanged();
        return;
      case "notifications/elicitation/complete":
        this.#completions.take(notice.params, notice.paramsJson);
        return;
      case "notifications/resources/updated":
      case "notifications/subscriptions/acknowledged":
      case "notifications/cancelled":
        this.#asks.withdraw(notice.params?.["requestId"]);
        this.#options.subscriptions.notice(notice.method, notice.params);
    }
  }
}

const membersWithout = (object: string, key: string | null): RawMembers => {
  if (object === "") return rawMembers("");
  return joinMembers(
    object,
    membersOf(object).filter((member) => member.key !== key),
  );
};
