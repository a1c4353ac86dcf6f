/**
 * Grants of pinned keys that were brought and taken: each is good for one approval, over restarts. Kept readable, without a
 * seal: they must be remembered even by a host that lost its secret.
 */
import { hash } from "node:crypto";
import type { HostState, StateWrite } from "../../kernel/evidence.ts";
import type { Grant } from "./sign-grant.ts";

const PREFIX = "grant_";

interface Used {
  /** The approval that it was taken for. */
  readonly approval: string;
  /** Ms after which it would not verify any more. */
  readonly until: number;
}

export class UsedGrants {
  readonly #used = new Map<string, Used>();

  constructor(state: HostState) {
    for (const [key, value] of state.entries("approval"))
      if (key.startsWith(PREFIX)) this.#used.set(key, JSON.parse(value) as Used);
  }

  /** For which approval it was taken; null: it was not yet. */
  takenFor(grant: Grant, publicKey: string): string | null {
    return this.#used.get(keyOf(grant, publicKey))?.approval ?? null;
  }

  /** Counts at once; `undo` when the write fails. */
  take(grant: Grant, publicKey: string, approval: string): { readonly write: StateWrite; readonly undo: () => void } {
    const key = keyOf(grant, publicKey);
    const used: Used = { approval, until: Date.parse(String(grant["valid_until"])) };
    this.#used.set(key, used);
    return {
      write: { space: "approval", key, value: JSON.stringify(used) },
      undo: () => this.#used.delete(key),
    };
  }

  /** Forgets those that have run out: the writes that take them from the database. */
  dropOld(now: number): readonly StateWrite[] {
    const old = [...this.#used].filter(([, { until }]) => until <= now).map(([key]) => key);
    for (const key of old) this.#used.delete(key);
    return old.map((key) => ({ space: "approval", key, value: null }));
  }
}

const keyOf = (grant: Grant, publicKey: string): string =>
  `${PREFIX}${hash("sha256", `${String(grant["approval_id"])}\0${publicKey}`)}`;
