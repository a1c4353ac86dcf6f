/**
 * What an upstream says, brought to whom it concerns: answers to the correlator, progress and logs to the caller, change
 * notices to the supervisor. Nothing was declared that a server may ask for, so of its requests only `ping` is answered.
 */
import { rawMembers, type RawMembers } from "../../kernel/raw-json.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";
import type { ConnectionEvents } from "../connection.ts";
import type { Correlator } from "./correlator.ts";
import type { Exchange } from "./exchange.ts";
import { frameError, frameResult } from "./frame.ts";
import { readMessages, type Message } from "./read-message.ts";

export interface InboundOptions {
  readonly correlator: Correlator;
  readonly events: ConnectionEvents;
  /** True on a pipe that carries all calls: a notice then says nothing about whose it is. */
  readonly shared: boolean;
  /** Sends the answer to a request of the server. */
  readonly reply: (text: string) => void;
}

export class Inbound {
  readonly #options: InboundOptions;

  constructor(options: InboundOptions) {
    this.#options = options;
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
    if (message.kind === "answer") return this.#options.correlator.answer(message.id, message.reply);
    if (message.kind === "request") {
      const { id, method } = message;
      const answer =
        method === "ping" ? frameResult(id) : frameError(id, -32601, `Method not found: ${method.slice(0, 200)}`);
      return this.#options.reply(answer);
    }
    this.#notice(message, via);
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
