/**
 * How long the last calls of each tool took, for `performance.typical_ms`. Noting one is on the path of every call: a
 * look-up and a write. Kept in memory only, so each start of the host begins anew.
 */
const KEPT = 100;
/** Fewer say nothing yet. */
const ENOUGH = 20;
const MAX_TOOLS = 10_000;

export class CallTimes {
  readonly #tools = new Map<string, LastTimes>();

  /** By the flat name, whatever the endpoint calls it. */
  note(tool: string, ms: number): void {
    const times = this.#tools.get(tool) ?? this.#begin(tool);
    times.add(ms);
  }

  /** `<p50>-<p95>` in whole ms, rounded up; null: too few calls. */
  typical(tool: string): string | null {
    return this.#tools.get(tool)?.typical() ?? null;
  }

  #begin(tool: string): LastTimes {
    if (this.#tools.size >= MAX_TOOLS) this.#tools.delete(this.#tools.keys().next().value ?? "");
    const times = new LastTimes();
    this.#tools.set(tool, times);
    return times;
  }
}

class LastTimes {
  readonly #ring = new Float32Array(KEPT);
  #count = 0;
  #next = 0;
  /** Null: not worked out since the last call. */
  #typical: string | null = null;

  add(ms: number): void {
    this.#ring[this.#next] = ms;
    this.#next = this.#next + 1 === KEPT ? 0 : this.#next + 1;
    if (this.#count < KEPT) this.#count++;
    this.#typical = null;
  }

  typical(): string | null {
    if (this.#count < ENOUGH) return null;
    return (this.#typical ??= this.#workOut());
  }

  #workOut(): string {
    const sorted = this.#ring.subarray(0, this.#count).toSorted();
    return `${percentile(sorted, 0.5)}-${percentile(sorted, 0.95)}`;
  }
}

/** The nearest rank. */
const percentile = (sorted: Float32Array, share: number): number =>
  Math.max(0, Math.ceil(sorted[Math.ceil(share * sorted.length) - 1] ?? 0));
