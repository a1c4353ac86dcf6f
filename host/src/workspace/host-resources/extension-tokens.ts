/**
 * What a server of the modern era shows when it asks over HTTP: random, short-lived, good for one bundle and one extension,
 * and for nothing else at this host. Only hashes are kept for finding one, so that looking it up tells nothing of it.
 */
import { createHash, randomBytes } from "node:crypto";

export interface Issued {
  readonly token: string;
  /** ms since the epoch. */
  readonly expiresAt: number;
}

const VALID_MS = 15 * 60_000;
const PREFIX = "bwx_";
const BYTES = 32;
/** The length of those that this host makes; anything longer is none. */
const LENGTH = PREFIX.length + Math.ceil((BYTES * 4) / 3);

interface Held<Holder> {
  readonly holder: Holder;
  readonly expiresAt: number;
}

export class ExtensionTokens<Holder> {
  readonly #held = new Map<string, Held<Holder>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(holder: Holder): Issued {
    this.#forgetExpired();
    const token = `${PREFIX}${randomBytes(BYTES).toString("base64url")}`;
    const expiresAt = this.#now() + VALID_MS;
    this.#held.set(hashOf(token), { holder, expiresAt });
    return { token, expiresAt };
  }

  /** Null: not ours, expired or revoked. */
  find(token: string): Holder | null {
    const held = token.length === LENGTH ? this.#held.get(hashOf(token)) : undefined;
    return held && this.#now() < held.expiresAt ? held.holder : null;
  }

  /** All that this holder was given. */
  revoke(holder: Holder): void {
    for (const [hash, held] of this.#held) if (held.holder === holder) this.#held.delete(hash);
  }

  /** They stand in the order in which they expire. */
  #forgetExpired(): void {
    for (const [hash, { expiresAt }] of this.#held) {
      if (this.#now() < expiresAt) return;
      this.#held.delete(hash);
    }
  }
}

const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64");
