/**
 * Says of a key whether it can be among those that were added: never no for one that was, seldom yes for one that was not.
 * One is meant for up to 32,768 keys. Of keys that are SHA-256 their own words are the hashes (`key-words.ts`); any other text is hashed.
 */
export const SIEVE_BITS = 1 << 19;
const MASK = SIEVE_BITS - 1;
const PROBES = 4;

/** Their low bits are the places of a key in every sieve. */
export type SievePlaces = readonly number[];

export const placeIn = (places: SievePlaces, i: number): number => (places[i] ?? 0) & MASK;

/** Not for secrets: whoever makes up ids that fall together only makes looking for those dearer. */
export const textPlaces = (text: string): SievePlaces => {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d);
  b = Math.imul(b ^ (b >>> 16), 0x297a2d39) | 1;
  const places: number[] = [];
  for (let i = 0; i < PROBES; i++) {
    const place = (a + Math.imul(i, b)) | 0;
    places.push(place ^ (place >>> 12));
  }
  return places;
};

export class KeySieve {
  readonly #words: Uint32Array<ArrayBuffer>;

  /** `bytes`: of one that was kept. */
  constructor(bytes?: Uint8Array) {
    this.#words = new Uint32Array(SIEVE_BITS / 32);
    if (bytes?.length === SIEVE_BITS / 8) new Uint8Array(this.#words.buffer).set(bytes);
  }

  /** 32 places each, the first in the lowest bit. */
  get words(): Uint32Array {
    return this.#words;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer);
  }

  add(places: SievePlaces): void {
    for (let i = 0; i < places.length; i++) {
      const place = placeIn(places, i);
      this.#words[place >>> 5] = (this.#words[place >>> 5] ?? 0) | (1 << (place & 31));
    }
  }
}
