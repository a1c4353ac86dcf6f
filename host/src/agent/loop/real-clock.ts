/** The clock of a run that is not told another. */
import { setTimeout as wait } from "node:timers/promises";
import type { LoopClock } from "./loop-options.ts";

export const REAL_CLOCK: LoopClock = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
  random: Math.random,
};
