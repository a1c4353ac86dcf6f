/**
 * Resolves at the first signal that asks to stop; the second one ends the process at once. `isStop` says of each whether it
 * does; default: all do.
 */

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** 128 + the number of SIGINT, as shells write it. */
const FORCED = 130;

export const firstStopSignal = (isStop: (signal: NodeJS.Signals) => boolean = () => true): Promise<void> =>
  new Promise((resolve) => {
    let asked = false;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (!isStop(signal)) return;
        if (asked) process.exit(FORCED);
        asked = true;
        resolve();
      });
    }
  });
