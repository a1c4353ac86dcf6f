/**
 * What is open under an id is one object, however many hold it. It is let go when nobody does any more; the last few are kept
 * for those who come back.
 */
const KEPT = 4;

export class OpenOnes<T extends object> {
  readonly #load: (id: string) => Promise<T>;
  readonly #loading = new Map<string, Promise<T>>();
  readonly #held = new Map<string, WeakRef<T>>();
  readonly #kept = new Map<string, T>();
  readonly #ended = new FinalizationRegistry<string>((id) => {
    if (this.#held.get(id)?.deref() === undefined) this.#held.delete(id);
  });

  constructor(load: (id: string) => Promise<T>) {
    this.#load = load;
  }

  async get(id: string): Promise<T> {
    const one = await this.current(id);
    if (one !== null) return one;
    // Somebody else may have begun while this one waited.
    const begun = this.#loading.get(id) ?? this.#begin(id);
    return begun;
  }

  /** Null when it is not open. */
  async current(id: string): Promise<T | null> {
    const one = this.#held.get(id)?.deref();
    if (one !== undefined) return this.#keep(id, one);
    return (await this.#loading.get(id)?.catch(() => null)) ?? null;
  }

  forget(id: string): void {
    this.#held.delete(id);
    this.#kept.delete(id);
  }

  /** Everything that is open, and what is about to be. */
  async all(): Promise<readonly T[]> {
    await Promise.allSettled(this.#loading.values());
    return [...this.#held.values()].map((held) => held.deref()).filter((one) => one !== undefined);
  }

  #begin(id: string): Promise<T> {
    const loading = this.#load(id)
      .then((one) => {
        this.#held.set(id, new WeakRef(one));
        this.#ended.register(one, id);
        return this.#keep(id, one);
      })
      .finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  #keep(id: string, one: T): T {
    this.#kept.delete(id);
    this.#kept.set(id, one);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return one;
  }
}
