/**
 * Plain values as one: objects member by member, lists as asked, of everything else the later one. None of them is changed. What
 * grows is kept in one place until the end, so that each value is gone through once, however many there are.
 */
import { hash } from "node:crypto";
import { jcs } from "../../kernel/jcs.ts";
import { isKeptNumber } from "./kept-number.ts";

export type ArrayMerge = "concat" | "replace" | "unique";

/** A number that is kept as it was written is none. */
export const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);

export class DeepMerge {
  readonly #arrays: ArrayMerge;
  #whole: unknown = new Members({});

  constructor(arrays: ArrayMerge) {
    this.#arrays = arrays;
  }

  add(value: unknown): void {
    this.#whole = this.#join(this.#whole, value);
  }

  /** All that was added. */
  value(): unknown {
    return settle(this.#whole);
  }

  #join(known: unknown, value: unknown): unknown {
    if (Array.isArray(value)) {
      if (this.#arrays === "replace") return value;
      const list = known instanceof List ? known : Array.isArray(known) ? this.#list(known) : null;
      if (list === null) return value;
      list.add(value);
      return list;
    }
    if (!isMembers(value)) return value;
    const members = known instanceof Members ? known : isPlainMembers(known) ? new Members(known) : null;
    if (members === null) return value;
    const { byKey } = members;
    for (const [key, member] of Object.entries(value))
      byKey.set(key, byKey.has(key) ? this.#join(byKey.get(key), member) : member);
    return members;
  }

  #list(known: readonly unknown[]): List {
    const list = new List(this.#arrays === "unique");
    list.add(known);
    return list;
  }
}

/** An object that grows. */
class Members {
  readonly byKey: Map<string, unknown>;

  constructor(value: Readonly<Record<string, unknown>>) {
    this.byKey = new Map(Object.entries(value));
  }
}

/** A list that grows; what is in it does not. */
class List {
  readonly items: unknown[] = [];
  readonly #seen: Set<string> | null;

  constructor(isUnique: boolean) {
    this.#seen = isUnique ? new Set() : null;
  }

  add(items: readonly unknown[]): void {
    for (const item of items) {
      if (this.#seen !== null) {
        const name = nameOf(item);
        if (this.#seen.has(name)) continue;
        this.#seen.add(name);
      }
      this.items.push(item);
    }
  }
}

const isPlainMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isMembers(value) && !(value instanceof List);

const LONG = 100;

/** Equal values have the same, and no others. A long text is not kept. */
const nameOf = (value: unknown): string => {
  const text = typeof value === "string" ? `"${value}` : isKeptNumber(value) ? JSON.stringify(value) : jcs(value);
  return text.length > LONG ? `#${hash("sha256", text)}` : text;
};

const settle = (value: unknown): unknown => {
  if (value instanceof List) return value.items;
  if (!(value instanceof Members)) return value;
  // Unlike an assignment, this makes a member of `__proto__` too.
  return Object.fromEntries([...value.byKey].map(([key, member]) => [key, settle(member)]));
};
