/** Of which states of a package somebody was told. Bounded: the oldest is forgotten, and then told once more. */
const MAX_PACKAGES = 1_000;
const MAX_DIGESTS = 64;

export class ToldDigests {
  readonly #by = new Map<string, Set<string | null>>();

  has(name: string, digest: string | null): boolean {
    return this.#by.get(name)?.has(digest) === true;
  }

  add(name: string, digest: string | null): void {
    const digests = this.#by.get(name) ?? new Set();
    this.#by.set(name, digests.add(digest));
    for (const oldest of digests) if (digests.size > MAX_DIGESTS) digests.delete(oldest);
    for (const oldest of this.#by.keys()) if (this.#by.size > MAX_PACKAGES) this.#by.delete(oldest);
  }

  forget(name: string): void {
    this.#by.delete(name);
  }
}
