/** Waits for some work, but no longer than this. */
import { setTimeout as sleep } from "node:timers/promises";

export const within = async (work: Promise<void>, ms: number): Promise<void> => {
  const giveUp = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: giveUp.signal }).catch(() => {})]);
  giveUp.abort();
};
