/**
 * Tools that join the direct list in the course of a run, because they were found or were used lately. Each keeps its place
 * while it is there, so that what the model is sent changes little; where they are too many, the least recently used one goes.
 */
export class JoinedTools {
  readonly #most: number;
  /** When each was last of use, in the order of their places. */
  readonly #used = new Map<string, number>();
  #clock = 0;

  /** `most`: `maxDirectTools`. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The best match first. Those that are listed anyway take no place. */
  join(names: readonly string[], isListed: (name: string) => boolean): void {
    const fresh = [...new Set(names)].filter((name) => !isListed(name)).slice(0, this.#most);
    // New ones take their places in the order of the matches; the best of them is the last to go.
    for (const name of fresh) if (!this.#used.has(name)) this.#used.set(name, 0);
    for (const name of fresh.toReversed()) this.#used.set(name, ++this.#clock);
    while (this.#used.size > this.#most) this.#used.delete(this.#oldest());
  }

  /** It was called. */
  use(name: string): void {
    if (this.#used.has(name)) this.#used.set(name, ++this.#clock);
  }

  names(): readonly string[] {
    return [...this.#used.keys()];
  }

  #oldest(): string {
    let [oldest, since] = ["", Number.POSITIVE_INFINITY];
    for (const [name, used] of this.#used) if (used < since) [oldest, since] = [name, used];
    return oldest;
  }
}
