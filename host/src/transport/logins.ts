/**
 * Logins of people in browsers: a random id in a cookie stands for the key that was shown once. They are in memory alone and
 * end when they are not used for 8 hours, after 7 days, at log-out, with the host, and with the key, which is looked at anew
 * for every request. The id itself is kept as a hash.
 */
import { hash, randomBytes } from "node:crypto";
import type { Presented } from "../kernel/principal.ts";

export const IDLE_MS = 8 * 3_600_000;
export const WHOLE_MS = 7 * 24 * 3_600_000;
export const MOST = 1000;
export const MOST_A_CREDENTIAL = 50;
/** 32 bytes as base64url. */
const ID = /^[\w-]{43}$/;

export interface Login {
  /** What is shown in its place for each request. */
  readonly credential: Extract<Presented, { kind: "bearer" }>;
  readonly credentialId: string;
  readonly begunAt: number;
  usedAt: number;
  /** Aborted when it has ended, by whatever. */
  readonly over: AbortController;
}

export class Logins {
  /** By hash of the id; the one that was not used for longest comes first. */
  readonly #open = new Map<string, Login>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The id, which is nowhere else. Where there are too many, the one leaves that was not used for longest. */
  begin(token: string, credentialId: string): string {
    const now = this.#now();
    this.#sweep(now);
    const own = [...this.#open].filter(([, login]) => login.credentialId === credentialId);
    if (own.length >= MOST_A_CREDENTIAL) this.#end(own[0]?.[0] ?? "");
    if (this.#open.size >= MOST) this.#end(this.#open.keys().next().value ?? "");
    const id = randomBytes(32).toString("base64url");
    const credential = { kind: "bearer", token } as const;
    this.#open.set(keyOf(id), { credential, credentialId, begunAt: now, usedAt: now, over: new AbortController() });
    return id;
  }

  /** Counts as a use of it. Null: it is none, or has ended. */
  find(id: string): Login | null {
    if (!ID.test(id)) return null;
    const key = keyOf(id);
    const login = this.#open.get(key);
    if (login === undefined) return null;
    const now = this.#now();
    if (now >= endOf(login)) {
      this.#end(key);
      return null;
    }
    login.usedAt = now;
    this.#open.delete(key);
    this.#open.set(key, login);
    return login;
  }

  has(id: string): boolean {
    const login = this.#open.get(keyOf(id));
    return login !== undefined && this.#now() < endOf(login);
  }

  end(id: string): void {
    this.#end(keyOf(id));
  }

  #end(key: string): void {
    this.#open.get(key)?.over.abort();
    this.#open.delete(key);
  }

  #sweep(now: number): void {
    for (const [key, login] of this.#open) if (now >= endOf(login)) this.#end(key);
  }
}

/** When it ends if it is not used again, ms since the epoch. */
export const endOf = ({ begunAt, usedAt }: Login): number => Math.min(usedAt + IDLE_MS, begunAt + WHOLE_MS);

const keyOf = (id: string): string => hash("sha256", id);
