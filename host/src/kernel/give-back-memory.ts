/**
 * A thread that has become idle gives back the memory that it no longer uses: what starting or many calls at once left
 * behind, above all the room for young objects. Left alone, the engine keeps that until it needs a full collection.
 */

/** Between two looks: while there may be something to give back, and while there is not. */
const SOON_MS = 500;
const LATER_MS = 5_000;
/** Share of the time in which something ran, below which a thread is idle. */
const IDLE_SHARE = 0.02;
/** It is done at the first quiet look after the start, or else after a longer rest: the code of a busy host is kept warm. */
const START_MS = 3_000;
const REST_MS = 30_000;
/** Nothing runs while it is collected, about a millisecond for each megabyte in use: that must stay short, and worth it. */
const MOST_IN_USE_BYTES = 64 * 1024 * 1024;
const LEAST_UNUSED_BYTES = 3 * 1024 * 1024;

export interface Collector {
  readonly collect: () => void;
  readonly heap: () => { readonly usedBytes: number; readonly heldBytes: number };
  /** Share of the time since the last look in which something ran. */
  readonly busyShare: () => number;
}

/** Where the program was not started with `--expose-gc`, as another's program that a host runs in, nothing is done. */
export const giveBackMemory = (): void => {
  const { gc } = globalThis;
  if (gc === undefined) return;
  let last = performance.eventLoopUtilization();
  giveBackWith({
    collect: () => gc({ type: "major", execution: "sync", flavor: "last-resort" }),
    heap: () => {
      const { heapUsed: usedBytes, heapTotal: heldBytes } = process.memoryUsage();
      return { usedBytes, heldBytes };
    },
    busyShare: () => {
      const before = last;
      last = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(last, before).utilization;
    },
  });
};

export const giveBackWith = ({ collect, heap, busyShare }: Collector): void => {
  const startedAt = performance.now();
  let busyAt = startedAt;
  let isSettled = false;
  const look = (): void => {
    const now = performance.now();
    if (busyShare() > IDLE_SHARE) {
      busyAt = now;
      isSettled = false;
    } else if (!isSettled && (now - startedAt <= START_MS || now - busyAt >= REST_MS)) {
      isSettled = true;
      const { usedBytes, heldBytes } = heap();
      if (usedBytes <= MOST_IN_USE_BYTES && heldBytes - usedBytes >= LEAST_UNUSED_BYTES) collect();
    }
    setTimeout(look, isSettled ? LATER_MS : SOON_MS).unref();
  };
  setTimeout(look, SOON_MS).unref();
};
