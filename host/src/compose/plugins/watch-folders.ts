/** Tells when something in a folder may have changed, a moment after the last sign of it. */
import { watch, type FSWatcher } from "node:fs";

const SETTLE_MS = 200;

export class WatchedFolders {
  readonly #folders: readonly string[];
  readonly #changed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(folders: readonly string[], changed: () => void) {
    this.#folders = folders;
    this.#changed = changed;
  }

  /** Those that are there by now, too. One that cannot be watched is not: whoever reads compares anyway. */
  watch(): void {
    if (this.#closed) return;
    for (const folder of this.#folders) if (!this.#watchers.has(folder)) this.#open(folder);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #open(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (event) => {
        // The folder itself may have gone, and another come in its place.
        if (event === "rename") this.#forget(folder, watcher);
        this.#notice();
      });
      watcher.on("error", () => this.#forget(folder, watcher));
      this.#watchers.set(folder, watcher);
    } catch {
      // Absent, or too many are watched already.
    }
  }

  #forget(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
  }

  #notice(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#changed, SETTLE_MS).unref();
  }
}
