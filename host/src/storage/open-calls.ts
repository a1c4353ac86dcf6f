/**
 * Which invocations have begun and not ended, with the sequence of their `execution_started`. Kept so that a restart finds
 * them without reading the log: a batch row remembers the lowest open sequence, and a call that stays open for more than
 * `CARRY_AFTER` events is moved into a small table of its own.
 */
export const CARRY_AFTER = 4096;

const ENDINGS = new Set([
  "execution_completed",
  "execution_failed",
  "execution_denied",
  "execution_skipped",
  "execution_indeterminate",
]);

export const endsInvocation = (type: string): boolean => ENDINGS.has(type);

/** Callers may choose invocation ids, so two calls can share one: the correlation tells most of them apart. */
export const callKey = (invocationId: string, correlationId: string): string => `${invocationId}\n${correlationId}`;

export class OpenCalls {
  /** Rising, because sequences are given in order and entries only leave. */
  readonly #open = new Map<number, string>();
  readonly #carried = new Map<number, string>();
  readonly #byKey = new Map<string, number[]>();

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  start(key: string, sequence: number): void {
    this.#open.set(sequence, key);
    const sequences = this.#byKey.get(key);
    if (sequences) sequences.push(sequence);
    else this.#byKey.set(key, [sequence]);
  }

  /** Takes over a row of the table of carried calls; newest first, after all others. */
  restoreCarried(key: string, sequence: number): void {
    this.#carried.set(sequence, key);
    this.#byKey.set(key, [sequence, ...(this.#byKey.get(key) ?? [])]);
  }

  /**
   * Ends the newest call of this key: then reading the log again from the lowest open sequence on comes to the same calls.
   * Returns the sequence whose carried row has to go, or null.
   */
  end(key: string): number | null {
    const sequences = this.#byKey.get(key);
    const sequence = sequences?.pop();
    if (sequences === undefined || sequence === undefined) return null;
    if (sequences.length === 0) this.#byKey.delete(key);
    if (this.#carried.delete(sequence)) return sequence;
    this.#open.delete(sequence);
    return null;
  }

  /** Moves the oldest call that has been open for too long to the carried ones; null when there is none. */
  carryNext(lastSequence: number): { readonly key: string; readonly sequence: number } | null {
    for (const [sequence, key] of this.#open) {
      if (lastSequence - sequence < CARRY_AFTER) return null;
      this.#open.delete(sequence);
      this.#carried.set(sequence, key);
      return { key, sequence };
    }
    return null;
  }

  /** The lowest open sequence that is not carried. */
  lowest(): number | null {
    for (const sequence of this.#open.keys()) return sequence;
    return null;
  }

  /** Every open sequence, rising. */
  sequences(): number[] {
    return [...this.#carried.keys(), ...this.#open.keys()].toSorted((a, b) => a - b);
  }
}
