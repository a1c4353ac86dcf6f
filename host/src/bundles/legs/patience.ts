/**
 * How long something may take, as a signal. `AbortSignal.timeout` would keep its timer, and whatever listens to it, for the
 * whole time also when the work is long done.
 */
export class Patience {
  readonly #late = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Aborts when the time is over, or with `life`. */
  readonly signal: AbortSignal;

  constructor(ms: number, life: AbortSignal) {
    this.#timer = setTimeout(() => this.#late.abort(), ms).unref();
    this.signal = AbortSignal.any([life, this.#late.signal]);
  }

  isOver(): boolean {
    return this.#late.signal.aborted;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
