/**
 * How often one bundle may ask. The host holds it, so that a restart of the bundle does not refill it. Counted in thousandths,
 * which a rate per second and a time in milliseconds make whole numbers.
 */
export interface Rate {
  readonly ratePerSecond: number;
  readonly burst: number;
}

const TOKEN = 1000;

export class TokenBucket {
  readonly #rateNow: () => Rate;
  #level: number;
  #at: number;

  /** The rate may change while the bucket stands. */
  constructor(rate: () => Rate, now: number) {
    this.#rateNow = rate;
    this.#level = rate().burst * TOKEN;
    this.#at = now;
  }

  /** Takes one token and returns 0; when there is none, takes nothing and returns in how many milliseconds there is one. */
  take(now: number): number {
    this.#refill(now);
    if (this.#level < TOKEN) return Math.ceil((TOKEN - this.#level) / this.#rateNow().ratePerSecond);
    this.#level -= TOKEN;
    return 0;
  }

  isFull(now: number): boolean {
    this.#refill(now);
    return this.#level === this.#rateNow().burst * TOKEN;
  }

  /** A clock that was set back adds nothing, and from then on counts as it goes. */
  #refill(now: number): void {
    const elapsedMs = Math.max(0, now - this.#at);
    const { burst, ratePerSecond } = this.#rateNow();
    this.#level = Math.min(burst * TOKEN, this.#level + elapsedMs * ratePerSecond);
    this.#at = now;
  }
}
