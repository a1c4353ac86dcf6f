/**
 * The calls under way, by where their answers will be kept. Buckets, because a Map that is added to and taken from all the time
 * keeps what was in it until it next grows or shrinks, which makes everything that a call holds old for the garbage collector.
 */
import type { Answer, RawCall } from "../../kernel/call.ts";

/** A power of two. */
const BUCKETS = 1024;
/** Enough to choose a bucket by. */
const DIGITS = 4;

export interface RunningCall {
  readonly key: string;
  readonly call: RawCall;
  readonly answer: Promise<Answer>;
}
interface Link extends RunningCall {
  next: Link | null;
}

export class RunningCalls {
  readonly #buckets: (Link | null)[] = Array.from({ length: BUCKETS }, () => null);

  get(key: string): RunningCall | null {
    let link = this.#buckets[bucketOf(key)] ?? null;
    while (link !== null && link.key !== key) link = link.next;
    return link;
  }

  /** Of a key that none has. */
  add(key: string, call: RawCall, answer: Promise<Answer>): void {
    const bucket = bucketOf(key);
    this.#buckets[bucket] = { key, call, answer, next: this.#buckets[bucket] ?? null };
  }

  delete(key: string): void {
    const bucket = bucketOf(key);
    const first = this.#buckets[bucket] ?? null;
    if (first?.key === key) this.#buckets[bucket] = first.next;
    else for (let link = first; link !== null; link = link.next) if (link.next?.key === key) link.next = link.next.next;
  }
}

const bucketOf = (key: string): number => {
  let sum = 0;
  for (let i = 0; i < DIGITS; i++) sum = 31 * sum + key.charCodeAt(i);
  return sum & (BUCKETS - 1);
};
