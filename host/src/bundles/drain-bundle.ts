/** Gives the calls of a bundle that nobody finds any more a moment to end. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bundle } from "./bundle.ts";

const LONGEST_MS = 10_000;
const LOOK_EVERY_MS = 25;

export const drainBundle = async (bundle: Bundle, isLate: () => boolean): Promise<void> => {
  const end = Date.now() + LONGEST_MS;
  while (bundle.inFlight() > 0 && Date.now() < end && !isLate()) await sleep(LOOK_EVERY_MS);
};
