/**
 * A set for what comes and goes with every call. V8's Set and Map leave a dead table behind whenever they grow or tidy up,
 * and once such a table is old, everything that was in it at that moment, a call's whole memory, stays until a full
 * collection. Here a place is only emptied and used again.
 */
export class Roster<T> {
  readonly #items: (T | null)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** The place it was given, for `get` and `remove`. */
  add(item: T): number {
    const place = this.#free.pop() ?? this.#items.length;
    this.#items[place] = item;
    return place;
  }

  get(place: number): T | null {
    return this.#items[place] ?? null;
  }

  remove(place: number): void {
    if (this.get(place) === null) return;
    this.#items[place] = null;
    this.#free.push(place);
  }

  clear(): void {
    this.#items.length = 0;
    this.#free.length = 0;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.#items) if (item !== null) yield item;
  }
}
