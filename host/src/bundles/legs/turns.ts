/**
 * Who may go on while a server has questions out. A call that is parked waits for its caller and takes nobody's place;
 * where calls run one at a time, another one runs meanwhile, and the parked one goes on when that one has ended or parks.
 */
import type { Exchange } from "./exchange.ts";
import { isParked } from "./whose-ask.ts";

export interface TurnsOptions {
  /** Those that were sent and not yet answered. */
  readonly calls: () => readonly Exchange[];
  /** True while a call waits to be sent. */
  readonly isWaitedFor: () => boolean;
  /** A place may be free. */
  readonly resume: () => void;
}

/** How often it is looked whether a call is parked, while another waits for that. */
const LOOK_MS = 25;

export class Turns {
  readonly #options: TurnsOptions;
  #look: NodeJS.Timeout | null = null;
  /** Calls for which questions are out. */
  asking = 0;
  /** Of calls that are not parked only one runs, so that a question can be nobody else's. */
  oneAtATime: boolean;

  constructor(options: TurnsOptions, oneAtATime: boolean) {
    this.#options = options;
    this.oneAtATime = oneAtATime;
  }

  parked(): number {
    return this.asking === 0 ? 0 : this.#options.calls().filter(isParked).length;
  }

  /** Answers for this call are there; null: it may have them now, else when the promise resolves. */
  of(exchange: Exchange): Promise<void> | null {
    const { asking, phase } = exchange;
    if (!this.oneAtATime || phase !== "sent" || asking === null) return null;
    if (asking.turn === null && !this.#othersRun(exchange)) return null;
    asking.turn ??= Promise.withResolvers<void>();
    this.watch();
    return asking.turn.promise;
  }

  /** The oldest call whose answers are there may have them, if nothing else runs. */
  give(): void {
    const [next] = this.#waiting().toSorted((a, b) => a.id - b.id);
    if (next && !this.#othersRun(next)) next.asking?.takeTurn();
  }

  /** Nobody says when a caller leaves a question for later, so it is looked at while somebody waits for that. */
  watch(): void {
    if (this.#look !== null || this.asking === 0) return;
    if (!this.#options.isWaitedFor() && this.#waiting().length === 0) return;
    this.#look = setTimeout(() => {
      this.#look = null;
      this.#options.resume();
      this.watch();
    }, LOOK_MS).unref();
  }

  #waiting(): Exchange[] {
    return this.#options.calls().filter(({ asking }) => asking !== null && asking.turn !== null);
  }

  /** Calls of one caller may well mix: each may wait for an answer that another of them was asked for. */
  #othersRun(exchange: Exchange): boolean {
    const { call } = exchange.options;
    return this.#options.calls().some((other) => other.options.call?.owner !== call?.owner && !isParked(other));
  }
}
