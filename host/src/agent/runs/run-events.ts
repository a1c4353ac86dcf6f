/**
 * Everything that a run told, kept so that each listener reads it at its own pace: nobody misses an event or gets one twice.
 * What is kept is bounded: beyond that, results of calls give way to a note, the oldest first; an event that was told stays,
 * under its number.
 */
import type { NumberedEvent, ToldEvent } from "../../kernel/agent.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { weigh } from "./weigh.ts";

const NOT_KEPT = rawJson(
  JSON.stringify({
    content: [
      {
        type: "text",
        text: "(This result is not kept any more: the run told more than is kept of one. The conversation has what the model got.)",
      },
    ],
  }),
);

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
  tell(event: ToldEvent, isLast = false): void {
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
      if (numbered?.event.type !== "tool.done") continue;
      const saved = (numbered.event.resultJson?.length ?? 0) - NOT_KEPT.length;
      if (saved <= 0) continue;
      this.#events[at] = { id: numbered.id, event: { ...numbered.event, resultJson: NOT_KEPT } };
      this.#bytes -= saved;
    }
  }
}
