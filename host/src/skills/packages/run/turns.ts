/**
 * Who of a package's calls may start now: so many processes at once and no more, and of the tools that say `main` one at a
 * time, in the order in which they came. A call that is given up while it waits leaves.
 */
import { cancelledBeforeStart, queueFull } from "./run-refusals.ts";

export type Lane = "any" | "main";

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

  /** Resolves to what gives the place back. Rejects with a Refusal when the queue is full or the signal aborts. */
  async enter(lane: Lane, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw cancelledBeforeStart();
    if (this.#waiting.every((other) => !this.#isFree(other.lane)) && this.#isFree(lane)) this.#take(lane);
    else await this.#wait(lane, signal);
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

  #wait(lane: Lane, signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw queueFull(this.#waiting.length);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(cancelledBeforeStart());
      };
      const admit = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const waiting: Waiting = { lane, admit };
      this.#waiting.push(waiting);
      signal.addEventListener("abort", leave, { once: true });
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
