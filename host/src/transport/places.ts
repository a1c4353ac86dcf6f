/** At most so many at once for each owner; whoever comes later waits, in order, and holds nothing meanwhile. */
export class Places {
  readonly #most: number;
  readonly #owners = new Map<string, { taken: number; readonly waiting: (() => void)[] }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves with what gives the place back; calling that again does nothing. */
  async take(owner: string): Promise<() => void> {
    const places = this.#owners.get(owner) ?? { taken: 0, waiting: [] };
    this.#owners.set(owner, places);
    if (places.taken < this.#most) places.taken++;
    else await new Promise<void>((enter) => places.waiting.push(enter));
    let held = true;
    return () => {
      if (held) this.#leave(owner);
      held = false;
    };
  }

  /** A place that somebody waits for stays taken and changes hands. */
  #leave(owner: string): void {
    const places = this.#owners.get(owner);
    const next = places?.waiting.shift();
    if (places === undefined || next) next?.();
    else if (--places.taken === 0) this.#owners.delete(owner);
  }
}
