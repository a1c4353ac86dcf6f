/**
 * Tools under names that every model API takes: `^[A-Za-z0-9_-]{1,64}$`. A name that fits stays; any other gets an alias that
 * depends on itself alone, so that it is the same in every run and whatever else is installed. Evidence, events and API have
 * the full name.
 */
import { hash } from "node:crypto";

export interface ModelNames {
  /** Of a tool that was among those given. */
  nameFor(full: string): string;
  /** The tool behind what a model wrote; null: it is none of those given. */
  fullNameOf(written: string): string | null;
}

const MOST = 64;
const FITTING = /^[A-Za-z0-9_-]{1,64}$/;
const FORBIDDEN = /[^A-Za-z0-9_-]/gu;
/** A name of this form could be the alias of another, so it gets one too. */
const LIKE_ALIAS = /_[0-9a-f]{8,}$/;
const HEX = 8;

/** `hex`: how much of the hash; more than eight digits only where those are not enough. */
const aliasOf = (full: string, hex: number): string =>
  `${full.replaceAll(FORBIDDEN, "_").slice(0, MOST - 1 - hex)}_${digestOf(full).slice(0, hex)}`;

/** Halves of a pair that stand alone are all the same in UTF-8, and must not make one of two names. */
const digestOf = (full: string): string => hash("sha256", full.isWellFormed() ? full : JSON.stringify(full));

export const createModelNames = (fullNames: Iterable<string>): ModelNames => {
  const full = new Map<string, string>();
  const written = new Map<string, string>();
  const give = (name: string, alias: string): void => {
    full.set(alias, name);
    written.set(name, alias);
  };
  const others: string[] = [];
  for (const name of fullNames) {
    if (FITTING.test(name) && !LIKE_ALIAS.test(name)) give(name, name);
    else others.push(name);
  }
  // Sorted, so that of two whose hashes begin alike always the same one gets the longer alias.
  for (const name of [...new Set(others)].toSorted()) {
    let hex = HEX;
    while (hex < MOST - 1 && full.has(aliasOf(name, hex))) hex += HEX;
    give(name, aliasOf(name, Math.min(hex, MOST - 1)));
  }
  return {
    nameFor: (name) => written.get(name) ?? aliasOf(name, HEX),
    // An alias first: under it the tool was listed. Models also use full names that they read somewhere.
    fullNameOf: (name) => full.get(name) ?? (written.has(name) ? name : null),
  };
};
