/**
 * Loaded into the host before it starts (`--import`): at SIGUSR2 it writes to `resources.json` in the working directory how
 * many timers there are, those that keep nothing alive included, and how much memory is in use, garbage aside.
 */
import { createHook } from "node:async_hooks";
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

export interface Resources {
  readonly timers: number;
  readonly usedBytes: number;
}

const FILE = "resources.json";

const install = (): void => {
  const timers = new Set<number>();
  createHook({
    init: (id, type) => void (type === "Timeout" && timers.add(id)),
    destroy: (id) => void timers.delete(id),
  }).enable();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  process.on("SIGUSR2", () => {
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${FILE}.part`, JSON.stringify({ timers: timers.size, usedBytes: heapUsed + external }));
    renameSync(`${FILE}.part`, FILE);
  });
};

if (isMainThread) install();
