/**
 * Questions of a legacy server: each is brought to the caller of the call it belongs to, and the answer back. What the
 * caller declared, and what it may be told, is not looked at here: the call's asker knows.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ASK_METHODS, askError, type Ask, type AskAnswer, type AskMethod } from "../../kernel/ask.ts";
import { dropHostMeta } from "../../kernel/drop-host-members.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { ConnectionEvents } from "../connection.ts";
import type { Completions } from "./completions.ts";
import type { Correlator } from "./correlator.ts";
import type { Exchange } from "./exchange.ts";
import { frameAnswer } from "./frame.ts";
import { isObject, type ServerRequest } from "./read-message.ts";
import { whoseAsk } from "./whose-ask.ts";

export interface AsksOptions {
  readonly correlator: Correlator;
  readonly events: ConnectionEvents;
  /** Sends what the host itself answers; may be dropped when a server asks faster than it reads. */
  readonly reply: (text: string) => void;
  /**
   * Sends a caller's answer, which is never dropped: if it cannot be sent, the call fails. Resolves when the server has it,
   * as far as the wire can tell.
   */
  readonly answer: (text: string, exchange: Exchange) => Promise<void> | void;
  /** Who hears later what became of a page that a question sends somebody to. */
  readonly completions: Completions;
}

type Question = ServerRequest & { readonly method: AskMethod };

interface Out {
  readonly controller: AbortController;
  /** The server took it back, and waits for no answer. */
  withdrawn: boolean;
}

const MAX_PER_CALL = 32;
/** How long a cancellation waits for the answer that is to come before it. */
const BEFORE_CANCEL_MS = 1_000;
const INVALID_REQUEST = -32600;
const KEY = /^[A-Za-z0-9_.-]{1,64}$/;
const KEY_HINT = "dev.bailiwick/input-key";
const NO_ROOTS = rawJson('{"roots":[]}');
const DECLINED: AskAnswer = { kind: "result", json: rawJson('{"action":"cancel"}') };

export const isQuestion = (request: ServerRequest): request is Question => ASK_METHODS.has(request.method);

export class Asks {
  readonly #options: AsksOptions;
  readonly #out = new Map<string | number, Out>();

  constructor(options: AsksOptions) {
    this.#options = options;
  }

  /** `via` is the call whose own stream brought it. */
  take(question: Question, via: Exchange | null): void {
    const { correlator } = this.#options;
    const calls = via === null ? correlator.calls() : via.options.call ? [via] : [];
    const whose = whoseAsk(calls, via === null ? correlator.unanswered : null);
    if (whose === null) this.#reply(question, this.#answerOutside(question));
    else if (whose === "several") this.#reply(question, this.#answerShared(question, calls));
    else this.#bring(question, whose);
  }

  /** The server does not want to know any more. */
  withdraw(key: unknown): void {
    const out = this.#out.get(key as string | number);
    if (!out) return;
    out.withdrawn = true;
    out.controller.abort();
  }

  #answerOutside({ method }: Question): AskAnswer {
    if (method === "roots/list") return this.#hostRoots();
    return askError(INVALID_REQUEST, `${method} belongs to no call: the host has nobody whom it could ask.`);
  }

  #answerShared({ method }: Question, calls: readonly Exchange[]): AskAnswer {
    const { correlator, events } = this.#options;
    // Whichever of them it is for: without roots of its own it is told the host's.
    if (method === "roots/list" && !calls.some(hasRoots)) return this.#hostRoots();
    if (whoseAsk(calls, null) !== "several") {
      return askError(INVALID_REQUEST, `${method} may belong to a call of another caller that was given up.`);
    }
    if (!correlator.turns.oneAtATime) {
      correlator.turns.oneAtATime = true;
      events.asksShared?.();
    }
    return askError(INVALID_REQUEST, `Calls of several callers run, and ${method} does not say whose it is.`);
  }

  #hostRoots(): AskAnswer {
    return { kind: "result", json: this.#options.events.hostRoots?.() ?? NO_ROOTS };
  }

  #bring(question: Question, exchange: Exchange): void {
    if (exchange.phase !== "sent" || exchange.asking?.isWithdrawn) return this.#reply(question, givenUp(question));
    if (this.#out.has(question.key)) {
      return this.#reply(question, askError(INVALID_REQUEST, "A request with this id is still open."));
    }
    if ((exchange.asking?.out.size ?? 0) >= MAX_PER_CALL) {
      const why = `More than ${MAX_PER_CALL} questions of one call are open.`;
      return this.#reply(question, askError(INVALID_REQUEST, why));
    }
    void this.#ask(question, exchange);
  }

  async #ask(question: Question, exchange: Exchange): Promise<void> {
    const { correlator } = this.#options;
    const controller = correlator.standStill(exchange);
    const out: Out = { controller, withdrawn: false };
    this.#out.set(question.key, out);
    if (question.method === "elicitation/create") this.#options.completions.expect(question.params, exchange);
    try {
      const said = await exchange.options.call?.asker.ask(toAsk(question), controller.signal);
      await correlator.turns.of(exchange);
      if (said === undefined || out.withdrawn || correlator.over()) return;
      if (exchange.phase === "settled") this.#reply(question, said);
      else await this.#answer(question, said, exchange);
    } catch (bug) {
      correlator.fail(exchange, bug as Error);
    } finally {
      this.#out.delete(question.key);
      correlator.goOn(exchange, controller);
    }
  }

  async #answer(question: Question, said: AskAnswer, exchange: Exchange): Promise<void> {
    const { correlator, answer } = this.#options;
    const taken = answer(frameAnswer(question.id, said), exchange);
    if (!said.withdraw) return;
    if (exchange.asking) exchange.asking.isWithdrawn = true;
    await Promise.race([taken, delay(BEFORE_CANCEL_MS, null, { ref: false })]);
    correlator.withdraw(exchange);
  }

  #reply(question: Question, said: AskAnswer): void {
    this.#options.reply(frameAnswer(question.id, said));
  }
}

const hasRoots = ({ options }: Exchange): boolean => options.call?.asker.declared.value["roots"] !== undefined;

/** Nobody waits for the call any more. */
const givenUp = ({ method }: Question): AskAnswer =>
  method === "elicitation/create" ? DECLINED : askError(INVALID_REQUEST, "The call was given up.");

const toAsk = ({ method, params, paramsJson }: Question): Ask => {
  if (params === null) return { method, params: rawJson("{}"), key: null };
  const meta = params["_meta"];
  const hint = isObject(meta) ? meta[KEY_HINT] : null;
  const key = typeof hint === "string" && KEY.test(hint) ? hint : null;
  return { method, params: dropHostMeta(paramsJson as RawJson, params), key };
};
