/** One timer for all approvals: it rings when the first of them runs out, and there is none while none can. */
const MAX_DELAY_MS = 3_600_000;
const MIN_DELAY_MS = 100;

export class ExpiryClock {
  readonly #ring: () => void;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | null = null;
  #due = Infinity;

  constructor(ring: () => void, now: () => number) {
    this.#ring = ring;
    this.#now = now;
  }

  /** Ms since the epoch; an earlier one that is set already stays. */
  set(due: number): void {
    if (due >= this.#due) return;
    this.stop();
    this.#due = due;
    const delay = Math.min(Math.max(due - this.#now(), MIN_DELAY_MS), MAX_DELAY_MS);
    this.#timer = setTimeout(() => {
      this.#due = Infinity;
      this.#ring();
    }, delay).unref();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#due = Infinity;
  }
}
