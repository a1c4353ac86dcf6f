/**
 * The work that one check of a value may take. A schema comes from a bundle and the value from a caller or the same bundle:
 * together they can ask for more than any host has, by a handful of references. So work is counted as it is done.
 */
const MAX_WORK = 2_000_000;

/** Leaves a check that has cost enough. */
export class TooMuchWork extends Error {}

let left = 0;

/** A check begins. Checks never run inside each other, nor wait. */
export const beginWork = (): void => {
  left = MAX_WORK;
};

/** A unit is less than a microsecond. */
export const spend = (units: number): void => {
  left -= units;
  if (left < 0) throw new TooMuchWork();
};

/** What the last check took. */
export const workDone = (): number => MAX_WORK - left;
