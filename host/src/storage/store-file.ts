/** The file under the log: made for its owner only, and noticed when it goes away under the running host. */
import { closeSync, existsSync, openSync, statSync } from "node:fs";

const CHECK_MS = 1000;

/** SQLite gives its journal files the mode of the database. */
export const makePrivate = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
};

export class StoreFile {
  readonly #path: string;
  readonly #inode: number;
  #checked = 0;

  constructor(path: string) {
    this.#path = path;
    makePrivate(path);
    this.#inode = statSync(path).ino;
  }

  /** A removed file can still be written to by whoever has it open; nobody would ever read that. */
  check(): void {
    const now = performance.now();
    if (now - this.#checked < CHECK_MS) return;
    this.#checked = now;
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino !== this.#inode) {
      throw new Error(`${this.#path} was removed or replaced while the host runs`);
    }
  }
}
