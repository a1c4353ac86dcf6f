/** Calls of this run that began with an approval: one that comes back with answers to its server does not need another. */
const MAX_BEGUN = 10_000;

export interface Begun {
  /** Of the call, as `callKey` has it. */
  readonly key: string;
  readonly approval: string;
}

export class BegunCalls {
  readonly #begun = new Map<string, Begun>();

  add(invocationId: string, begun: Begun): void {
    if (this.#begun.size >= MAX_BEGUN) {
      const [oldest] = this.#begun.keys();
      if (oldest !== undefined) this.#begun.delete(oldest);
    }
    this.#begun.set(invocationId, begun);
  }

  get(invocationId: string): Begun | null {
    return this.#begun.get(invocationId) ?? null;
  }
}
