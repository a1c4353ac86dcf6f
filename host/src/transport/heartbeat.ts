/** Keeps open streams alive with a comment now and then. One timer for all of them, none while there is no stream. */
import type { ServerResponse } from "node:http";

export interface Heartbeat {
  add(res: ServerResponse): void;
  remove(res: ServerResponse): void;
}

export const createHeartbeat = (everyMs: number): Heartbeat => {
  const open = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | null = null;
  const beat = (): void => {
    for (const res of open) if (!res.writableEnded && !res.writableNeedDrain) res.write(": \n\n");
  };
  return {
    add: (res) => {
      open.add(res);
      timer ??= setInterval(beat, everyMs);
    },
    remove: (res) => {
      open.delete(res);
      if (open.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    },
  };
};
