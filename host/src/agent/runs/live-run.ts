/** One run while it goes on and for a while after. Whoever drives it tells what happens; whoever listens keeps it alive. */
import type { AgentRun, ChatResult, NumberedEvent, ToldEvent } from "../../kernel/agent.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { RunEvents } from "./run-events.ts";
import { brokenRun, cancelledByPerson, cancelledUnheard, endlessText } from "./run-refusals.ts";

export interface RunPlace {
  readonly id: string;
  readonly conversationId: string;
  readonly workspace: string;
  /** As `principalName` writes it. */
  readonly owner: string;
}

export interface RunOptions {
  /** For how long it goes on while nobody listens. */
  readonly graceMs: number;
  /** How much of what it tells is kept. */
  readonly maxBytes: number;
  readonly onEnd: () => void;
}

/** How many times `maxBytes` the text may take: nothing of it gives way. */
const TEXT_TIMES = 4;

export class LiveRun implements AgentRun {
  readonly id: string;
  readonly conversationId: string;
  readonly workspace: string;
  readonly owner: string;
  readonly result: Promise<ChatResult>;
  readonly #settle: PromiseWithResolvers<ChatResult>;
  readonly #options: RunOptions;
  readonly #events: RunEvents;
  readonly #abort = new AbortController();
  #cancelledBy: string | null = null;
  #listening = 0;
  #grace: NodeJS.Timeout | null = null;

  constructor(place: RunPlace, options: RunOptions) {
    this.id = place.id;
    this.conversationId = place.conversationId;
    this.workspace = place.workspace;
    this.owner = place.owner;
    this.#options = options;
    this.#events = new RunEvents(options.maxBytes);
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
    // Who follows the events need not ask for the result too.
    this.result.catch(() => {});
    this.#startGrace();
  }

  /** Aborted when it is cancelled; its reason is the Refusal to end with. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get ended(): boolean {
    return this.#events.ended;
  }

  get bytes(): number {
    return this.#events.bytes;
  }

  /**
   * `done` and `error` are for `end` and `fail`: those of a child end nothing here. Refusal `model_failed` for more text than
   * any model has to say: every piece of it is kept for whoever comes back.
   */
  tell(event: ToldEvent): void {
    if (event.type === "done" || event.type === "error") return;
    const most = TEXT_TIMES * this.#options.maxBytes;
    if (event.type === "text.delta" && this.#events.bytes > most) throw endlessText(this.id, most);
    this.#events.tell(event);
  }

  /** The first end stands. */
  end(result: ChatResult): void {
    if (this.ended) return;
    this.#events.tell({ ...result, type: "done", runId: this.id }, true);
    this.#settle.resolve(result);
    this.#finish();
  }

  /** What is no Refusal is a bug: it is told without its inside, and is the caller's to report. */
  fail(no: unknown): void {
    if (this.ended) return;
    const refusal = no instanceof Refusal ? no : brokenRun(this.id);
    const { kind, message, next } = refusal;
    this.#events.tell({ type: "error", runId: this.id, error: kind, message, remedy: next }, true);
    this.#settle.reject(refusal);
    this.#finish();
  }

  async *events(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void> {
    const leave = this.hold();
    // One that went away while it was slow to read does not come back to be told so.
    signal.addEventListener("abort", leave, { once: true });
    try {
      yield* this.#events.after(after, signal);
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
  }

  /** Somebody waits for it, until the function that this returns is called. */
  hold(): () => void {
    this.#listening++;
    this.#stopGrace();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#listening--;
      this.#startGrace();
    };
  }

  /** Who asked for its end, as `owner` is written; null: nobody did. */
  get cancelledBy(): string | null {
    return this.#cancelledBy;
  }

  /** The first reason stands. Without one it is whose run it is that asks. */
  cancel(why: Refusal | null = null, by: string | null = why === null ? this.owner : null): void {
    if (this.ended || this.signal.aborted) return;
    this.#cancelledBy = by;
    this.#abort.abort(why ?? cancelledByPerson(this.id));
  }

  #startGrace(): void {
    if (this.ended || this.#listening > 0) return;
    const { graceMs } = this.#options;
    this.#grace = setTimeout(() => this.cancel(cancelledUnheard(this.id, graceMs / 1_000)), graceMs);
    this.#grace.unref();
  }

  #stopGrace(): void {
    if (this.#grace !== null) clearTimeout(this.#grace);
    this.#grace = null;
  }

  #finish(): void {
    this.#stopGrace();
    this.#options.onEnd();
  }
}
