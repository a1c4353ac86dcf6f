/**
 * Who of a package's calls may start now: so many processes at once and no more, and of the tools that say `main` one at a
 * time, in the order in which they came. A call that is given up while it waits leaves, and so does one that has waited as
 * long as it may take itself.
 */
import type { Refusal } from "../../../kernel/refusal.ts";
import { cancelledBeforeStart, queueFull, waitedTooLong } from "./run-refusals.ts";

export type Lane = "any" | "main";

export interface TurnOrder {
  readonly lane: Lane;
  readonly signal: AbortSignal;
  /** How long it may wait. */
  readonly limitMs: number;
}

interface Waiting {
  readonly lane: Lane;
  readonly admit: () => void;
}

const AT_ONCE = 16;
const MAX_WAITING = 1_000;

export class Turns {
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #mainRuns = false;

  /** Resolves to what gives the place back. Rejects with a Refusal when it gets none. */
  async enter(order: TurnOrder): Promise<() => void> {
    const { lane } = order;
    if (order.signal.aborted) throw cancelledBeforeStart();
    if (this.#waiting.every((other) => !this.#isFree(other.lane)) && this.#isFree(lane)) this.#take(lane);
    else await this.#wait(order);
    return () => {
      this.#running--;
      if (lane === "main") this.#mainRuns = false;
      this.#admit();
    };
  }

  #isFree(lane: Lane): boolean {
    return this.#running < AT_ONCE && (lane === "any" || !this.#mainRuns);
  }

  #take(lane: Lane): void {
    this.#running++;
    if (lane === "main") this.#mainRuns = true;
  }

  #wait({ lane, signal, limitMs }: TurnOrder): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw queueFull(this.#waiting.length);
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      const leave = (no: Refusal): void => {
        stopWaiting();
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(no);
      };
      const admit = (): void => {
        stopWaiting();
        resolve();
      };
      const waiting: Waiting = { lane, admit };
      const onAbort = (): void => leave(cancelledBeforeStart());
      const timer = setTimeout(() => leave(waitedTooLong(limitMs)), limitMs);
      this.#waiting.push(waiting);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #admit(): void {
    for (;;) {
      const index = this.#waiting.findIndex(({ lane }) => this.#isFree(lane));
      const [next] = index === -1 ? [] : this.#waiting.splice(index, 1);
      if (next === undefined) return;
      this.#take(next.lane);
      next.admit();
    }
  }
}
