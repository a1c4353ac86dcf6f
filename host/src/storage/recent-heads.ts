/**
 * The last content hash of correlations that were written to lately. Two generations instead of a list of uses: at most
 * 2 × `GENERATION` entries, no bookkeeping per hit. What has fallen out is found again through the index.
 */
const GENERATION = 8192;

export class RecentHeads {
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  get(correlationId: string): string | undefined {
    return this.#young.get(correlationId) ?? this.#old.get(correlationId);
  }

  set(correlationId: string, contentHash: string): void {
    this.#young.set(correlationId, contentHash);
    if (this.#young.size < GENERATION) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  forget(correlationId: string): void {
    this.#young.delete(correlationId);
    this.#old.delete(correlationId);
  }
}
