/** Ends everything that is left of a process group and of what came of it, and returns when none is left. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Survivors } from "./survivors.ts";

export interface EndProcessesOptions {
  /** How long they may take after SIGTERM; 0: SIGKILL at once. */
  readonly graceMs: number;
  /** Gets no SIGTERM: with it would go at once those that may take their time. */
  readonly spare?: number;
}

const POLL_MS = 25;
/** A look reads all of `/proc`, so those after the first few come less often. */
const MAX_POLL_MS = 200;
/** A process in an uninterruptible wait cannot be ended by anybody; do not wait for it for ever. */
const KILL_WAIT_MS = 5_000;

/** False when something could not be ended. */
export const endProcesses = async (survivors: Survivors, options: EndProcessesOptions): Promise<boolean> => {
  if (options.graceMs > 0) {
    signal(
      (await survivors.find()).filter((pid) => pid !== options.spare),
      "SIGTERM",
    );
    if (await waitForNone(survivors, options.graceMs)) return true;
  }
  const until = Date.now() + KILL_WAIT_MS;
  for (;;) {
    // A process may fork between the look and the signal, hence until a look finds none.
    const left = await survivors.find();
    if (left.length === 0) return true;
    if (Date.now() > until) return false;
    signal(left, "SIGKILL");
    await sleep(POLL_MS);
  }
};

const waitForNone = async (survivors: Survivors, timeoutMs: number): Promise<boolean> => {
  const until = Date.now() + timeoutMs;
  for (let wait = POLL_MS; ; wait = Math.min(wait * 1.5, MAX_POLL_MS)) {
    if ((await survivors.find()).length === 0) return true;
    if (Date.now() >= until) return false;
    await sleep(wait);
  }
};

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // Gone in the meantime.
    }
  }
};
