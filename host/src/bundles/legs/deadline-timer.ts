/**
 * One timer for all deadlines of a connection. Arming with a time later than the one already set costs a comparison, which
 * is the usual case: every call has the same time-out.
 */
export class DeadlineTimer {
  readonly #sweep: (now: number) => number;
  #timer: NodeJS.Timeout | null = null;
  #at = Number.POSITIVE_INFINITY;

  /** `sweep` ends what is due and returns when the next one is, or Infinity. */
  constructor(sweep: (now: number) => number) {
    this.#sweep = sweep;
  }

  arm(dueAt: number): void {
    if (dueAt >= this.#at) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#at = dueAt;
    this.#timer = setTimeout(() => this.#fire(), Math.max(1, Math.ceil(dueAt - performance.now())));
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#at = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.stop();
    this.arm(this.#sweep(performance.now()));
  }
}
