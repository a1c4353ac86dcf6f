/**
 * Brings what was committed to the disk. SQLite only writes its journal; the wait for the disk is ours, so that the next
 * commit can be made meanwhile. Commits are told of in their order, each once, when everything up to it is on disk. After a
 * failure nobody knows what the disk has, so all that wait have failed, and the journal is opened anew.
 */
import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Handing a wait to another thread costs more than a short one takes; with this few events nobody else is kept waiting. */
const WAIT_HERE = 3;

/** `error` null: they are on disk. */
export type Synced<Commit> = (commits: readonly Commit[], error: Error | null) => void;

export class JournalSync<Commit> {
  readonly #path: string;
  readonly #synced: Synced<Commit>;
  #file: number | null = null;
  #underWay: Commit[] | null = null;
  #waiting: Commit[] = [];

  constructor(path: string, synced: Synced<Commit>) {
    this.#path = path;
    this.#synced = synced;
  }

  /** `events`: how many of them wait for this commit. */
  add(commit: Commit, events: number): void {
    this.#waiting.push(commit);
    if (this.#underWay !== null) return;
    if (events <= WAIT_HERE) this.finish();
    else this.#syncAside();
  }

  /** Waits here until all that was added is told of. */
  finish(): void {
    if (this.#underWay === null && this.#waiting.length === 0) return;
    try {
      this.sync();
      this.#tell(null);
    } catch (error) {
      this.#tell(error as Error);
    }
  }

  /** Waits for the disk; throws when it says no. */
  sync(): void {
    fdatasyncSync(this.#open());
  }

  /** All that was added is told of, and the journal may become another file. */
  close(): void {
    this.finish();
    this.#forget();
  }

  #tell(error: Error | null): void {
    const commits = [...(this.#underWay ?? []), ...this.#waiting];
    this.#underWay = null;
    this.#waiting = [];
    // What follows a failure may make the journal another file.
    if (error !== null) this.#forget();
    this.#synced(commits, error);
  }

  #forget(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** A journal that was just made is found after a crash only if its folder is on disk too. */
  #open(): number {
    if (this.#file !== null) return this.#file;
    const file = openSync(this.#path, "r");
    try {
      const folder = openSync(dirname(this.#path), "r");
      try {
        fsyncSync(folder);
      } finally {
        closeSync(folder);
      }
    } catch (error) {
      closeSync(file);
      throw error;
    }
    this.#file = file;
    return file;
  }

  #syncAside(): void {
    const commits = this.#waiting;
    this.#waiting = [];
    this.#underWay = commits;
    try {
      fdatasync(this.#open(), (error) => this.#ended(commits, error));
    } catch (error) {
      this.#ended(commits, error as Error);
    }
  }

  #ended(commits: Commit[], error: Error | null): void {
    // Told of already, by `finish`.
    if (this.#underWay !== commits) return;
    if (error !== null) {
      this.#tell(error);
      return;
    }
    this.#underWay = null;
    this.#synced(commits, null);
    if (this.#waiting.length > 0 && this.#underWay === null) this.#syncAside();
  }
}
