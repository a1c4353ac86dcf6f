/**
 * Everything that a run told, kept so that each listener reads it at its own pace: nobody misses an event or gets one twice.
 * What is kept is bounded: beyond that, results of calls give way to a note, the oldest first; an event that was told stays,
 * under its number.
 */
import type { NumberedEvent, RunEvent } from "../../kernel/agent.ts";
import { weigh } from "./weigh.ts";

const NOT_KEPT = Object.freeze({
  content: Object.freeze([
    Object.freeze({
      type: "text",
      text: "(This result is not kept any more: the run told more than is kept of one. The conversation has what the model got.)",
    }),
  ]),
});

type ToolDone = Extract<RunEvent, { type: "tool.done" }>;

export class RunEvents {
  readonly #maxBytes: number;
  readonly #events: NumberedEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #bytes = 0;
  #ended = false;
  /** No result before it can give way any more. */
  #eased = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The last one of a run ends it; what comes after it is not told. */
  tell(event: RunEvent, isLast = false): void {
    // An upstream may tell of its progress for ever, and nobody needs all of it.
    if (this.#ended || (event.type === "tool.progress" && this.#bytes > this.#maxBytes)) return;
    this.#events.push({ id: this.#events.length + 1, event });
    this.#bytes += weigh(event);
    this.#ended = isLast;
    if (this.#bytes > this.#maxBytes) this.#ease();
    for (const wake of this.#waiting) wake();
  }

  async *after(id: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void> {
    let read = id > 0 ? Math.floor(id) : 0;
    while (!signal.aborted) {
      const next = this.#events[read];
      if (next !== undefined) {
        read++;
        yield next;
      } else if (this.#ended) return;
      else await this.#more(signal);
    }
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  #ease(): void {
    while (this.#bytes > this.#maxBytes && this.#eased < this.#events.length) {
      const at = this.#eased++;
      const numbered = this.#events[at];
      if (numbered === undefined || !hasResult(numbered.event)) continue;
      const event = { ...numbered.event, result: NOT_KEPT };
      const saved = weigh(numbered.event.result) - weigh(NOT_KEPT);
      if (saved <= 0) continue;
      this.#events[at] = { id: numbered.id, event };
      this.#bytes -= saved;
    }
  }
}

const hasResult = (event: RunEvent): event is ToolDone => event.type === "tool.done" && event.result !== undefined;
