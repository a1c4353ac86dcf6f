/** A run that tells what a test has it tell. */
import { EventEmitter, once } from "node:events";
import type { AgentRun, ChatResult, NumberedEvent, ToldEvent } from "../kernel/agent.ts";
import { Refusal } from "../kernel/refusal.ts";

type Told<E> = E extends unknown ? Omit<E, "runId"> : never;

export const resultOf = (runId: string, conversationId: string, response: string): ChatResult => ({
  response,
  conversationId,
  runId,
  skillName: null,
  toolCalls: [],
  stopReason: "complete",
  finishReason: "stop",
  inputTokens: 12,
  outputTokens: 3,
  usage: {
    inputTokens: 12,
    outputTokens: 3,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    costUsd: null,
    model: "stub:one",
    llmMs: 1,
    iterations: 1,
    estimated: false,
  },
});

export class ScriptedRun implements AgentRun {
  readonly id: string;
  readonly conversationId: string;
  readonly result: Promise<ChatResult>;
  /** How many hear it now. */
  hearers = 0;
  /** How many of its events were taken. */
  taken = 0;
  readonly #events: NumberedEvent[] = [];
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #resolve: (result: ChatResult) => void;
  readonly #reject: (reason: unknown) => void;
  #isOver = false;
  #bug: Error | null = null;

  constructor(id: string, conversationId: string) {
    this.id = id;
    this.conversationId = conversationId;
    const { promise, resolve, reject } = Promise.withResolvers<ChatResult>();
    [this.result, this.#resolve, this.#reject] = [promise, resolve, reject];
    promise.catch(() => {});
  }

  tell(event: Told<ToldEvent>): void {
    this.#events.push({ id: this.#events.length + 1, event: { runId: this.id, ...event } });
    this.#news.emit("news");
  }

  finish(response: string): void {
    const result = resultOf(this.id, this.conversationId, response);
    this.#isOver = true;
    this.tell({ type: "done", ...result });
    this.#resolve(result);
  }

  fail(refusal: Refusal): void {
    this.#isOver = true;
    this.tell({ type: "error", error: refusal.kind, message: refusal.message, remedy: refusal.next });
    this.#reject(refusal);
  }

  /** A fault of the run itself; null: it just says nothing more. */
  break(bug: Error | null): void {
    [this.#isOver, this.#bug] = [true, bug];
    this.#reject(bug ?? new Error("it broke"));
    this.#news.emit("news");
  }

  cancel(): void {
    if (!this.#isOver) this.fail(new Refusal("cancelled", { message: "It was cancelled.", next: "Send it again." }));
  }

  async *events(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
    this.hearers++;
    try {
      for (let at = after; !signal.aborted;) {
        const event = this.#events[at];
        if (event !== undefined) {
          [at, this.taken] = [at + 1, this.taken + 1];
          yield event;
        } else if (this.#bug !== null) throw this.#bug;
        else if (this.#isOver) return;
        else await once(this.#news, "news", { signal }).catch(() => {});
      }
    } finally {
      this.hearers--;
    }
  }
}
