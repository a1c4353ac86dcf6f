/**
 * Calls for many items: each worker takes the next one when it is free, so that no more wait than are worked on. What finds
 * the queue full is tried again: a batch does not fail because of its own crowd.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { CalledOn } from "../workbench.ts";

export interface Batch<Item> {
  readonly items: readonly Item[];
  readonly workers: number;
  readonly continueOnError: boolean;
  /** After this nothing new is begun, and nothing is tried again. */
  readonly beginForMs: number;
  readonly signal: AbortSignal;
  readonly call: (item: Item) => Promise<CalledOn>;
}

export interface BatchRow {
  /** Null: it was never begun. */
  readonly outcome: CalledOn | null;
  /** Spent in calls; pauses are not counted. */
  readonly ms: number;
}

export interface BatchRun {
  /** In the order of the items. */
  readonly rows: readonly BatchRow[];
  /** How much of the workers' time was spent in calls: 0 to 1. */
  readonly efficiency: number;
}

const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 30_000;
const NOT_BEGUN: BatchRow = { outcome: null, ms: 0 };

/** Rejects with the signal's reason, or with what a call rejects with, when nothing runs any more. */
export const runBatch = async <Item>(batch: Batch<Item>): Promise<BatchRun> => {
  const { items, signal } = batch;
  const rows: BatchRow[] = items.map(() => NOT_BEGUN);
  const began = performance.now();
  const end = began + batch.beginForMs;
  let next = 0;
  let isStopped = false;
  const work = async (): Promise<void> => {
    while (!isStopped && !signal.aborted && next < items.length && performance.now() < end) {
      const at = next++;
      try {
        rows[at] = await callPatiently(batch, items[at]!, end);
      } catch (error) {
        isStopped = true;
        throw error;
      }
      if (rows[at].outcome?.ok === false && !batch.continueOnError) isStopped = true;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: batch.workers }, work));
  signal.throwIfAborted();
  const broken = ended.find((one) => one.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  const spent = rows.reduce((sum, { ms }) => sum + ms, 0);
  const wall = performance.now() - began;
  return { rows, efficiency: wall === 0 ? 0 : Math.min(1, spent / (wall * batch.workers)) };
};

const callPatiently = async <Item>({ call, signal }: Batch<Item>, item: Item, end: number): Promise<BatchRow> => {
  for (let ms = 0; ;) {
    const began = performance.now();
    const outcome = await call(item);
    ms += performance.now() - began;
    const pause = pauseAfter(outcome);
    if (pause === null || performance.now() + pause > end) return { outcome, ms };
    await sleep(pause, undefined, { signal });
  }
};

/** Null: it is not to be tried again. */
const pauseAfter = (outcome: CalledOn): number | null => {
  if (outcome.ok || outcome.code !== "queue_full") return null;
  const wanted = outcome.details["retry_after_ms"];
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, typeof wanted === "number" ? wanted : 0));
};
