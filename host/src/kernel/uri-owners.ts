/**
 * Which provider each listed URI belongs to: the one that was accepted with it first, whatever is installed later. Kept by
 * hash, so that a provider with long or many URIs costs a known amount of memory.
 */
import { hash } from "node:crypto";

/** All that one listing can hold, templates included. */
const MAX_OF_PROVIDER = 20_000;

export interface Claim {
  readonly provider: string;
  readonly uris: readonly string[];
}

export type KnownOwners = Iterable<readonly [provider: string, keys: Iterable<string>]>;

const keyOf = (uri: string): string => hash("sha256", uri, "base64url").slice(0, 22);

export class UriOwners {
  readonly #owners = new Map<string, string>();
  /** Those that were listed longest ago come first. */
  readonly #keys = new Map<string, Set<string>>();
  readonly #changed: () => void;
  #retained = false;

  constructor(known: KnownOwners = [], changed: () => void = () => {}) {
    this.#changed = changed;
    for (const [provider, keys] of known) for (const key of keys) this.#own(provider, key);
  }

  ownerOf(uri: string): string | null {
    return this.#owners.get(keyOf(uri)) ?? null;
  }

  /** What is nobody's goes to the one that claims it, in the order given. */
  claim(claims: readonly Claim[]): void {
    let changes = 0;
    for (const { provider, uris } of claims) {
      for (const uri of uris) if (this.#own(provider, keyOf(uri))) changes++;
      changes += this.#forgetOldest(provider);
    }
    if (changes > 0) this.#changed();
  }

  /**
   * Frees what belongs to providers that are not there, once: at a start the configuration says who is; later, one that is
   * away for a moment keeps what it has.
   */
  retain(providers: readonly string[]): void {
    if (this.#retained) return;
    this.#retained = true;
    const gone = [...this.#keys.keys()].filter((provider) => !providers.includes(provider));
    for (const provider of gone) {
      for (const key of this.#keys.get(provider) ?? []) this.#owners.delete(key);
      this.#keys.delete(provider);
    }
    if (gone.length > 0) this.#changed();
  }

  entries(): readonly (readonly [provider: string, keys: readonly string[]])[] {
    return [...this.#keys].map(([provider, keys]) => [provider, [...keys]]);
  }

  /** True when it was nobody's before. */
  #own(provider: string, key: string): boolean {
    const owner = this.#owners.get(key);
    if (owner !== undefined && owner !== provider) return false;
    const keys = this.#keys.get(provider) ?? new Set();
    this.#keys.set(provider, keys);
    keys.delete(key);
    keys.add(key);
    this.#owners.set(key, provider);
    return owner === undefined;
  }

  #forgetOldest(provider: string): number {
    const keys = this.#keys.get(provider) ?? new Set<string>();
    let forgotten = 0;
    for (const key of keys) {
      if (keys.size <= MAX_OF_PROVIDER) break;
      keys.delete(key);
      this.#owners.delete(key);
      forgotten++;
    }
    return forgotten;
  }
}
