/**
 * Gives every entry its provider name. Of two that want one name the later is refused; it is then shown under a name nobody
 * else has, because what is unavailable is listed too. A name never depends on entries that come later. Pure.
 */
import { findProviderNameFault } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";

export interface NameWish {
  /** JSON pointer of the entry. */
  readonly pointer: string;
  /** Explicit or derived; null when there is none, and then `refusal` says why. */
  readonly wanted: string | null;
  /** What to show it under otherwise. */
  readonly fallback: string;
  readonly refusal: Refusal | null;
}

export interface NamedEntry {
  readonly name: string;
  readonly refusal: Refusal | null;
}

export const nameEntries = (wishes: readonly NameWish[]): NamedEntry[] => {
  const owners = new Map<string, string>();
  const claims = wishes.map((wish) => claim(wish, owners));
  return wishes.map((wish, index) => {
    const refusal = claims[index] ?? null;
    if (refusal === null && wish.wanted !== null) return { name: wish.wanted, refusal: wish.refusal };
    const name = freeName(wish.wanted ?? wish.fallback, owners);
    owners.set(name, wish.pointer);
    return { name, refusal: refusal ?? wish.refusal };
  });
};

/** Takes the name for the entry, or says why it cannot have it. */
const claim = ({ wanted, pointer }: NameWish, owners: Map<string, string>): Refusal | null => {
  if (wanted === null) return null;
  const fault = findProviderNameFault(wanted);
  if (fault !== null) {
    return new Refusal("install_refused", {
      message: `The entry at ${pointer} cannot be named "${wanted}": ${fault}.`,
      next: `Set another "serverName" on the entry at ${pointer}.`,
    });
  }
  const owner = owners.get(wanted);
  if (owner === undefined) {
    owners.set(wanted, pointer);
    return null;
  }
  return new Refusal("name_taken", {
    message: `Both ${owner} and ${pointer} want the name "${wanted}"; the first has it.`,
    next: `Set another "serverName" on the entry at ${pointer}.`,
    details: { name: wanted, first: owner, second: pointer },
  });
};

const freeName = (base: string, owners: ReadonlyMap<string, string>): string => {
  const stem = base.slice(0, 40);
  for (let count = 1; ; count++) {
    const name = count === 1 ? stem : `${stem}-${count}`;
    if (!owners.has(name) && findProviderNameFault(name) === null) return name;
    if (count === 1 && findProviderNameFault(stem) !== null)
      return freeName(`refused-${stem}`.replace(/[^a-z0-9-]/g, "-"), owners);
  }
};
