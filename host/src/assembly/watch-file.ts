/** Tells when a file may have changed, a moment after the last sign of it. Says nothing of what changed. */
import { realpathSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";

const SETTLE_MS = 200;

/** Returns the function that ends it. A folder that cannot be watched is not: a reload can still be asked for. */
export const watchFile = (file: string, changed: () => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const noticed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE_MS).unref();
  };
  const watchers = [...new Set([file, targetOf(file)])].map((each) => watchFolder(each, noticed));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher?.close();
  };
};

/** The folder, since editors and the host itself put a new file in the place of the old one. */
const watchFolder = (file: string, noticed: () => void): FSWatcher | null => {
  const name = basename(file);
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
      if (changed === null || changed === name) noticed();
    });
    return watcher.on("error", () => watcher.close());
  } catch {
    return null;
  }
};

/** Where a link leads. */
const targetOf = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
};
