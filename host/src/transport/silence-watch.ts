/**
 * Finds answers that have been silent too long. One slow timer looks at all of them instead of a timer per call, which
 * would cost more than anything else a door does for a short call. It stops by itself when there is nothing to look at.
 */
import { Roster } from "../kernel/roster.ts";

const LOOKS_A_LIMIT = 20;

export interface Waiting {
  readonly since: number;
  onSilence(): void;
}

export interface SilenceWatch {
  /** The place to give to `remove`. */
  add(waiting: Waiting): number;
  remove(place: number): void;
}

export const createSilenceWatch = (limitMs: number): SilenceWatch => {
  const open = new Roster<Waiting>();
  let timer: NodeJS.Timeout | null = null;

  const look = (): void => {
    const due = Date.now() - limitMs;
    for (const waiting of open) if (waiting.since <= due) waiting.onSilence();
    if (open.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    add: (waiting) => {
      timer ??= setInterval(look, limitMs / LOOKS_A_LIMIT).unref();
      return open.add(waiting);
    },
    remove: (place) => open.remove(place),
  };
};
