/**
 * How much one workspace generates and assembles at once: so many run, so many more wait, and the rest is told when to come
 * again. Of those that wait, whose caller has the fewest running comes next, then in order: nobody's crowd holds up the others.
 * Those of one lane run one at a time, and hold up nobody else meanwhile.
 */
import { ComposeError } from "./compose-error.ts";

export type WorkKind = "generation" | "assembly";

export interface QueueLimits {
  readonly atOnce: Readonly<Record<WorkKind, number>>;
  /** Of both kinds together. */
  readonly waiting: number;
  readonly longestMs: number;
}

export interface Work<T> {
  readonly kind: WorkKind;
  /** Null: it may overlap with anything. */
  readonly lane: string | null;
  /** Whose it is. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** The signal is aborted as the one above, and when its time is over. */
  readonly run: (signal: AbortSignal) => Promise<T>;
}

type Place = Pick<Work<unknown>, "kind" | "lane" | "owner">;

interface Waiting extends Place {
  readonly go: () => void;
}

export const QUEUE_LIMITS: QueueLimits = {
  atOnce: { generation: 8, assembly: 4 },
  waiting: 100,
  longestMs: 300_000,
};

/** Until something was measured. */
const FIRST_GUESS_MS = 1_000;
const MIN_RETRY_MS = 100;
/** Of the latest, in the mean of how long work took. */
const WEIGHT = 0.2;

export class Queue {
  readonly #limits: QueueLimits;
  readonly #running: Record<WorkKind, number> = { generation: 0, assembly: 0 };
  readonly #meanMs: Record<WorkKind, number> = { generation: FIRST_GUESS_MS, assembly: FIRST_GUESS_MS };
  readonly #busyLanes = new Set<string>();
  /** How many of an owner run, if any. */
  readonly #runningOf = new Map<string, number>();
  /** In order. */
  readonly #waiting: Waiting[] = [];

  constructor(limits: QueueLimits = QUEUE_LIMITS) {
    this.#limits = limits;
  }

  /** Rejects with what the work rejects with, with ComposeError `queue_full`, or, while it waits, with the signal's reason. */
  async run<T>(work: Work<T>): Promise<T> {
    work.signal.throwIfAborted();
    await this.#enter(work);
    const began = performance.now();
    try {
      return await this.#limit(work);
    } finally {
      this.#meanMs[work.kind] += WEIGHT * (performance.now() - began - this.#meanMs[work.kind]);
      this.#leave(work);
    }
  }

  #enter(work: Work<unknown>): Promise<void> | null {
    const { kind, lane, owner, signal } = work;
    if (this.#hasPlace(work)) {
      this.#take(work);
      return null;
    }
    if (this.#waiting.length >= this.#limits.waiting) throw this.#full(kind);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason as Error);
      };
      const go = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const waiting: Waiting = { kind, lane, owner, go };
      this.#waiting.push(waiting);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** What does not heed its signal is left behind: its place is free again when its time is over. */
  async #limit<T>({ kind, signal, run }: Work<T>): Promise<T> {
    const { longestMs } = this.#limits;
    const stop = new AbortController();
    const { promise: over, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const reason = tookTooLong(kind, longestMs);
      stop.abort(reason);
      reject(reason);
    }, longestMs);
    try {
      // It may have come while this waited for its place.
      signal.throwIfAborted();
      return await Promise.race([run(AbortSignal.any([signal, stop.signal])), over]);
    } finally {
      clearTimeout(timer);
    }
  }

  #hasPlace({ kind, lane }: Place): boolean {
    return this.#running[kind] < this.#limits.atOnce[kind] && (lane === null || !this.#busyLanes.has(lane));
  }

  #take({ kind, lane, owner }: Place): void {
    this.#running[kind]++;
    this.#runningOf.set(owner, this.#countOf(owner) + 1);
    if (lane !== null) this.#busyLanes.add(lane);
  }

  #leave({ kind, lane, owner }: Place): void {
    this.#running[kind]--;
    const left = this.#countOf(owner) - 1;
    if (left > 0) this.#runningOf.set(owner, left);
    else this.#runningOf.delete(owner);
    if (lane !== null) this.#busyLanes.delete(lane);
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#take(next);
      next.go();
    }
  }

  /** Null: none of them has a place. */
  #next(): Waiting | null {
    let next: Waiting | null = null;
    for (const each of this.#waiting) {
      if (!this.#hasPlace(each)) continue;
      if (next === null || this.#countOf(each.owner) < this.#countOf(next.owner)) next = each;
    }
    return next;
  }

  #countOf(owner: string): number {
    return this.#runningOf.get(owner) ?? 0;
  }

  #full(kind: WorkKind): ComposeError {
    const { atOnce, waiting, longestMs } = this.#limits;
    const rounds = (this.#waiting.filter((each) => each.kind === kind).length + 1) / atOnce[kind];
    const wait = Math.round(Math.min(longestMs, Math.max(MIN_RETRY_MS, rounds * this.#meanMs[kind])));
    return new ComposeError("queue_full", `${waiting} more wait in this workspace already.`, {
      retry_after_ms: wait,
      next: `Make the same call again in ${wait} ms.`,
    });
  }
}

const tookTooLong = (kind: WorkKind, longestMs: number): ComposeError =>
  new ComposeError(
    kind === "generation" ? "generation_timeout" : "assembly_failed",
    `The ${kind} took longer than ${longestMs} ms, and nothing may.`,
    { timeout_ms: longestMs },
  );
