/**
 * The issuer's keys, kept: believed for ten minutes after each fetch, fetched once more for a key id that is not among
 * them, and never more often than the pauses say, whatever tokens are sent.
 */
import { errors, type CryptoKey, type FlattenedJWSInput, type JWSHeaderParameters } from "jose";
import type { PublishedKeys } from "./fetch-key-set.ts";
import { KeysUnavailable } from "./keys-unavailable.ts";

const BELIEVED_MS = 600_000;
const UNKNOWN_PAUSE_MS = 30_000;
const FAILED_PAUSE_MS = 5_000;

export class IssuerKeys {
  readonly #fetch: () => Promise<PublishedKeys>;
  readonly #now: () => number;
  #keys: PublishedKeys | null = null;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #unknownAt = Number.NEGATIVE_INFINITY;
  #failure: { readonly at: number; readonly error: unknown } | null = null;
  #fetching: Promise<PublishedKeys> | null = null;
  #generation = 0;

  constructor(fetch: () => Promise<PublishedKeys>, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** Changes with the published keys; null while there are none to believe. */
  get generation(): number | null {
    return this.#keys !== null && this.#now() - this.#fetchedAt < BELIEVED_MS ? this.#generation : null;
  }

  /** Throws what jose throws for a key that is not there, and `KeysUnavailable`. */
  readonly find = async (header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> => {
    const keys = this.generation === null ? await this.refresh() : this.#keys!;
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (this.#now() - this.#unknownAt < UNKNOWN_PAUSE_MS) throw error;
      this.#unknownAt = this.#now();
      return (await this.refresh()).find(header, token);
    }
  };

  /** Fetches them anew; who asks meanwhile waits for the same answer. */
  refresh(): Promise<PublishedKeys> {
    if (this.#fetching) return this.#fetching;
    const failure = this.#failure;
    if (failure && this.#now() - failure.at < FAILED_PAUSE_MS) return Promise.reject(failure.error);
    this.#fetching = this.#take().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #take(): Promise<PublishedKeys> {
    try {
      const keys = await this.#fetch();
      if (keys.text !== this.#keys?.text) this.#generation++;
      this.#keys = keys;
      this.#fetchedAt = this.#now();
      this.#failure = null;
      return keys;
    } catch (error) {
      if (error instanceof KeysUnavailable) this.#failure = { at: this.#now(), error };
      throw error;
    }
  }
}
