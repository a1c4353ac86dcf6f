/**
 * Which invocations have begun and not ended, with the sequence of their `execution_started`. Kept so that a restart finds
 * them without reading the log: a batch row remembers the lowest open sequence, and a call that stays open for more than
 * `CARRY_AFTER` events is moved into a small table of its own.
 */
export const CARRY_AFTER = 4096;

/** These end whatever call they are of: without a beginning they are not written. */
const ALWAYS_END = new Set(["execution_completed", "execution_indeterminate"]);
/** These end a call that had begun, or are all there is of one that never did. */
const MAY_END = new Set(["execution_failed", "execution_denied", "execution_skipped"]);
/** A call that ended after it began says how long it took. No string of a canonical text holds a bare quote. */
const TOOK = '"duration_ms": ';
/** Of one that had, perhaps: whose payload was withheld since. */
const WITHHELD = '"chp_withheld": ';

/** `payload`: canonical text. */
export const endsInvocation = (type: string, payload: string): boolean =>
  ALWAYS_END.has(type) || (MAY_END.has(type) && (payload.includes(TOOK) || payload.includes(WITHHELD)));

/** Callers choose ids, so calls of several can share them: each has to end its own. No part holds a line end. */
export const callKey = (invocationId: string, correlationId: string, caller: string): string =>
  `${invocationId}\n${correlationId}\n${caller}`;

/** Who a subject is. The rest of it may differ between two requests of one call, such as the door. */
export const callerOf = (subject: unknown): string => {
  const { id = null, on_behalf_of: behalf = null } = (subject ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify([id, behalf]);
};

const MAX_KNOWN = 1024;

/** The same of the canonical text of a subject; subjects come again with every call. */
export class KnownCallers {
  readonly #known = new Map<string, string>();

  of(subject: string): string {
    const known = this.#known.get(subject);
    if (known !== undefined) return known;
    const caller = callerOf(JSON.parse(subject));
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(subject, caller);
    return caller;
  }
}

export class OpenCalls {
  /** Rising, because sequences are given in order and entries only leave. */
  readonly #open = new Map<number, string>();
  readonly #carried = new Map<number, string>();
  readonly #byKey = new Map<string, number[]>();

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** The correlations of all open calls. */
  correlations(): Set<string> {
    return new Set([...this.#byKey.keys()].map((key) => key.split("\n")[1] ?? ""));
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
