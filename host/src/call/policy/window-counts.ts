/**
 * How often something was taken in the last so many milliseconds, for many keys. Counted in twentieths of the window, and a
 * twentieth counts as long as any of it is inside, so that no window ever holds more than its limit. Lives on the main thread
 * and is written beside the intent of the call that is counted; what has run out goes when something else is counted, so that
 * there is no timer.
 */
import type { HostState, StateWrite } from "../../kernel/evidence.ts";

const PARTS = 20;
const MOST_KEYS = 100_000;
const MOST_TIDIED = 4;

export interface Window {
  /** Counts of one name run out in the order in which they were last taken. */
  readonly name: string;
  readonly windowMs: number;
}

export interface Used {
  readonly used: number;
  /** When fewer than `limit` are used, in ms from now; 0: now. */
  readonly freeInMs: number;
}

interface Count {
  width: number;
  /** Number of the part, how many, number of the part, how many: oldest first. */
  parts: number[];
}

interface Kept {
  readonly n: string;
  readonly w: number;
  readonly p: readonly number[];
}

const isKept = (value: unknown): value is Kept => {
  const { n, w, p } = (typeof value === "object" && value !== null ? value : {}) as Partial<
    Record<keyof Kept, unknown>
  >;
  const counts = Array.isArray(p) && p.length % 2 === 0 && p.every((each) => Number.isSafeInteger(each));
  return typeof n === "string" && typeof w === "number" && w > 0 && counts;
};

const parse = (text: string): Kept | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isKept(value) ? value : null;
  } catch {
    return null;
  }
};

const total = (parts: readonly number[]): number => {
  let sum = 0;
  for (let i = 1; i < parts.length; i += 2) sum += parts[i]!;
  return sum;
};

export class WindowCounts {
  readonly #groups = new Map<string, Map<string, Count>>();
  /** Kept by an earlier run and over by now. */
  readonly #over: string[] = [];
  readonly #now: () => number;

  constructor(kept: ReturnType<HostState["entries"]>, now: () => number = Date.now) {
    this.#now = now;
    for (const [key, text] of kept) this.#restore(key, parse(text));
  }

  #restore(key: string, kept: Kept | null): void {
    const last = kept?.p.at(-2);
    if (kept === null || last === undefined || (last + PARTS + 1) * kept.w <= this.#now()) this.#over.push(key);
    else this.#groupOf(kept.n).set(key, { width: kept.w, parts: [...kept.p] });
  }

  #groupOf(name: string): Map<string, Count> {
    const known = this.#groups.get(name);
    if (known) return known;
    const group = new Map<string, Count>();
    this.#groups.set(name, group);
    return group;
  }

  /** Drops what is outside the window; a limit that was given another window keeps its counts. */
  #settle(count: Count, width: number, now: number): void {
    if (count.width !== width) {
      for (let i = 0; i < count.parts.length; i += 2)
        count.parts[i] = Math.floor((count.parts[i]! * count.width) / width);
      count.width = width;
    }
    const oldest = Math.floor(now / width) - PARTS;
    let gone = 0;
    while (gone < count.parts.length && count.parts[gone]! < oldest) gone += 2;
    if (gone > 0) count.parts.splice(0, gone);
  }

  used({ name, windowMs }: Window, key: string, limit: number): Used {
    const count = this.#groups.get(name)?.get(key);
    if (count === undefined) return { used: 0, freeInMs: limit > 0 ? 0 : windowMs };
    const now = this.#now();
    const width = windowMs / PARTS;
    this.#settle(count, width, now);
    const used = total(count.parts);
    let left = used;
    for (let i = 0; i < count.parts.length && left >= limit; i += 2) {
      left -= count.parts[i + 1]!;
      if (left < limit) return { used, freeInMs: Math.max(1, Math.ceil((count.parts[i]! + PARTS + 1) * width - now)) };
    }
    return { used, freeInMs: left < limit ? 0 : windowMs };
  }

  /** False: there are too many keys of this name to count one more. */
  hasRoom({ name }: Window, key: string): boolean {
    const group = this.#groups.get(name);
    return group === undefined || group.size < MOST_KEYS || group.has(key) || this.#isOver(group);
  }

  #isOver(group: Map<string, Count>): boolean {
    for (const { width, parts } of group.values()) return ((parts.at(-2) ?? 0) + PARTS + 1) * width <= this.#now();
    return true;
  }

  take({ name, windowMs }: Window, key: string): { readonly writes: readonly StateWrite[]; release(): void } {
    const now = this.#now();
    const width = windowMs / PARTS;
    const group = this.#groupOf(name);
    const count = group.get(key) ?? { width, parts: [] };
    this.#settle(count, width, now);
    const { parts } = count;
    // A clock that was set back must not make room.
    const part = Math.max(Math.floor(now / width), parts.at(-2) ?? 0);
    if (parts.at(-2) === part) parts[parts.length - 1]!++;
    else parts.push(part, 1);
    group.delete(key);
    group.set(key, count);
    const writes = [{ space: "limit" as const, key, value: this.#textOf(name, count) }, ...this.#tidy(group)];
    return { writes, release: () => giveBack(parts, part) };
  }

  #textOf(n: string, { width, parts }: Count): string {
    return JSON.stringify({ n, w: width, p: parts } satisfies Kept);
  }

  #tidy(group: Map<string, Count>): StateWrite[] {
    const gone = this.#over.splice(0, MOST_TIDIED);
    for (const [key] of group) {
      if (gone.length >= MOST_TIDIED || (group.size <= MOST_KEYS && !this.#isOver(group))) break;
      group.delete(key);
      gone.push(key);
    }
    return gone.map((key) => ({ space: "limit", key, value: null }));
  }
}

const giveBack = (parts: number[], part: number): void => {
  for (let i = 0; i < parts.length; i += 2) if (parts[i] === part && parts[i + 1]! > 0) parts[i + 1]!--;
};
