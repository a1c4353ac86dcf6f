/**
 * Calls that a server may still be busy with though nobody here waits for them any more: sent, given up or lost, and never
 * answered. What it asks may be for one of them. Kept until no call may take that long.
 */
interface Left {
  readonly owner: string;
  readonly until: number;
}

const KEPT = 1_024;

export class Unanswered {
  readonly #keepMs: number;
  /** By id; all are kept for the same time, so the oldest are first. */
  readonly #left = new Map<number, Left>();
  /** Until when one of those that had to make room may be the one that asks. */
  #crowdedUntil = 0;

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  add(id: number, owner: string): void {
    this.#left.set(id, { owner, until: performance.now() + this.#keepMs });
    if (this.#left.size <= KEPT) return;
    const [oldest] = this.#left as Iterable<[number, Left]>;
    const [first, { until }] = oldest as [number, Left];
    this.#left.delete(first);
    this.#crowdedUntil = until;
  }

  /** The server answered after all. */
  remove(id: number): void {
    this.#left.delete(id);
  }

  /** False: there is one of somebody else. */
  isOnlyOf(owner: string | undefined): boolean {
    const now = performance.now();
    for (const [id, left] of this.#left) {
      if (left.until <= now) this.#left.delete(id);
      else if (left.owner !== owner) return false;
    }
    return this.#crowdedUntil <= now;
  }
}
