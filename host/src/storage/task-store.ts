/**
 * `tasks.log`: the tasks that are under way or ended a while ago, over restarts. A sealed line a change, the last one of an
 * id holds; written anew without what is gone when half of it is. A line that cannot be read is a task that nobody knows
 * any more, and its call ends as one that was lost.
 */
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Seals } from "../kernel/seal.ts";
import { syncFolder } from "../kernel/sync-folder.ts";
import type { TaskRecord, TaskStore } from "../kernel/tasks.ts";

const PURPOSE = "tasks";
/** A file below this is not worth writing anew. */
const SMALL_CHARS = 256 * 1024;

/** Null: it is gone. */
type Change = readonly [id: string, record: TaskRecord | null];

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class SealedTaskStore implements TaskStore {
  readonly #path: string;
  readonly #seals: Seals;
  readonly #records = new Map<string, TaskRecord>();
  #queue: string[] = [];
  #waiters: Waiter[] = [];
  #writing: Promise<void> | null = null;
  #chars: number;
  #charsWhenNew = 0;

  constructor(path: string, seals: Seals) {
    this.#path = path;
    this.#seals = seals;
    const text = readText(path);
    // A crash or a full disk may have left half a line; what follows must not become a part of it.
    if (text !== "" && !text.endsWith("\n")) this.#queue.push("");
    this.#chars = text.length;
    for (const line of text.split("\n")) this.#recall(line);
  }

  records(): Iterable<TaskRecord> {
    return this.#records.values();
  }

  async save(record: TaskRecord): Promise<void> {
    const before = this.#records.get(record.id);
    this.#records.set(record.id, record);
    try {
      await this.#write([record.id, record]);
    } catch (error) {
      // Unless it was saved anew meanwhile.
      if (this.#records.get(record.id) === record) {
        if (before) this.#records.set(before.id, before);
        else this.#records.delete(record.id);
      }
      throw error;
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#records.delete(id);
    await Promise.all(ids.map((id) => this.#write([id, null])));
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  #recall(line: string): void {
    const plain = line === "" ? null : this.#seals.unseal(PURPOSE, line);
    if (plain === null) return;
    const [id, record] = JSON.parse(plain) as Change;
    if (record === null) this.#records.delete(id);
    else this.#records.set(id, record);
  }

  #write(change: Change): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queue.push(this.#seals.seal(PURPOSE, JSON.stringify(change)));
    this.#waiters.push({ resolve, reject });
    this.#writing ??= this.#drain();
    return promise;
  }

  /** What arrives while one write runs is the next one. */
  async #drain(): Promise<void> {
    while (this.#waiters.length > 0) {
      const waiters = this.#waiters.splice(0);
      const text = this.#queue.splice(0).join("\n");
      try {
        if (this.#isMostlyPast()) await this.#writeAnew();
        else await this.#append(`${text}\n`);
        for (const { resolve } of waiters) resolve();
      } catch (error) {
        this.#queue.unshift("");
        for (const { reject } of waiters) reject(error);
      }
    }
    this.#writing = null;
  }

  async #append(text: string): Promise<void> {
    await writeFile(this.#path, "a", text);
    if (this.#chars === 0) await syncFolder(dirname(this.#path));
    this.#chars += text.length;
  }

  #isMostlyPast(): boolean {
    return this.#chars > Math.max(SMALL_CHARS, 2 * this.#charsWhenNew);
  }

  async #writeAnew(): Promise<void> {
    const lines = Array.from(this.#records.values(), (record) => {
      const change: Change = [record.id, record];
      return `${this.#seals.seal(PURPOSE, JSON.stringify(change))}\n`;
    });
    const text = lines.join("");
    const draft = `${this.#path}.new`;
    await writeFile(draft, "w", text);
    await rename(draft, this.#path);
    await syncFolder(dirname(this.#path));
    this.#chars = text.length;
    this.#charsWhenNew = text.length;
  }
}

const writeFile = async (path: string, flag: "a" | "w", text: string): Promise<void> => {
  const file = await open(path, flag, 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
};

const readText = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
};

/** Writes nothing before the first change: whether the directory is this host's alone is found out later. */
export const openTaskStore = (dir: string, seals: Seals): TaskStore =>
  new SealedTaskStore(join(dir, "tasks.log"), seals);
