/**
 * How often somebody showed a wrong key at the login lately, by address. Whoever did too often has to wait before the next
 * wrong one is even answered as such; a right key is taken at once, or others at the same address could lock its holder out.
 */
import { Refusal } from "../kernel/refusal.ts";

const WINDOW_MS = 60_000;
export const MOST_FAILED = 10;
const MAX_SOURCES = 10_000;

export class LoginAttempts {
  readonly #failed = new Map<string, { since: number; count: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Throws the refusal of who has to wait. Asked when a key is wrong, before that is counted. */
  check(source: string): void {
    const known = this.#failed.get(source);
    const left = known === undefined ? 0 : known.since + WINDOW_MS - this.#now();
    if (known !== undefined && left > 0 && known.count >= MOST_FAILED) throw tooMany(left);
  }

  failed(source: string): void {
    const now = this.#now();
    const known = this.#failed.get(source);
    if (known !== undefined && now < known.since + WINDOW_MS) {
      known.count++;
      return;
    }
    this.#failed.delete(source);
    // The one that has waited for longest.
    if (this.#failed.size >= MAX_SOURCES) this.#failed.delete(this.#failed.keys().next().value ?? "");
    this.#failed.set(source, { since: now, count: 1 });
  }
}

const tooMany = (leftMs: number): Refusal => {
  const seconds = Math.ceil(leftMs / 1000);
  return new Refusal("rate_limited", {
    message: `${MOST_FAILED} wrong keys came from this address within a minute.`,
    next: `Try again in ${seconds} seconds, with a key of this host.`,
    details: { limit: MOST_FAILED, retry_after_s: seconds },
    retryAfterMs: seconds * 1000,
  });
};
