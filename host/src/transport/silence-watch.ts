/**
 * Finds answers that have been silent too long. One slow timer looks at the oldest instead of a timer per call, which
 * would cost more than anything else a door does for a short call. It stops by itself when there is nothing to look at.
 */
const LOOKS_A_LIMIT = 20;

export interface Waiting {
  readonly since: number;
  onSilence(): void;
}

export interface SilenceWatch {
  add(waiting: Waiting): void;
  remove(waiting: Waiting): void;
}

export const createSilenceWatch = (limitMs: number): SilenceWatch => {
  /** Oldest first, since each is added when it begins to wait. */
  const open = new Set<Waiting>();
  let timer: NodeJS.Timeout | null = null;

  const look = (): void => {
    const due = Date.now() - limitMs;
    for (const waiting of open) {
      if (waiting.since > due) break;
      open.delete(waiting);
      waiting.onSilence();
    }
    if (open.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    add: (waiting) => {
      open.add(waiting);
      timer ??= setInterval(look, limitMs / LOOKS_A_LIMIT).unref();
    },
    remove: (waiting) => {
      open.delete(waiting);
    },
  };
};
