/**
 * What evidence last said of each plug-in file, kept for the next start: only what is other then is a change. It is written
 * after the record, so that an interruption between them repeats a record and never loses one.
 */
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DRAFT_END, dropOlder, readPrivate, writePrivate } from "../storage/private-files.ts";

const MAX_BYTES = 1_000_000;
const HOUR_MS = 3_600_000;

export class RecordedPlugins {
  readonly #file: string;
  /** By place; null: it could not be read. */
  #digests: Map<string, string | null> | null = null;
  #isKept = true;

  constructor(file: string) {
    this.#file = file;
  }

  /** By place; null: the file could not be read. */
  async all(): Promise<ReadonlyMap<string, string | null>> {
    return this.#load();
  }

  async note(place: string, digest: string | null): Promise<void> {
    (await this.#load()).set(place, digest);
    this.#isKept = false;
  }

  async forget(place: string): Promise<void> {
    if ((await this.#load()).delete(place)) this.#isKept = false;
  }

  /** Rejects where it cannot be written; the next one tries again. */
  async keep(): Promise<void> {
    if (this.#isKept) return;
    const text = JSON.stringify(Object.fromEntries(await this.#load()));
    const folder = dirname(this.#file);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const before = new Date(Date.now() - HOUR_MS);
    // What an interruption left.
    for (const name of await readdir(folder)) if (name.endsWith(DRAFT_END)) await dropOlder(join(folder, name), before);
    await writePrivate(this.#file, text, { replace: true });
    this.#isKept = true;
  }

  async #load(): Promise<Map<string, string | null>> {
    if (this.#digests !== null) return this.#digests;
    const read = readDigests(await readPrivate(this.#file, MAX_BYTES).catch(() => null));
    // Another may have been quicker, and noted something since.
    this.#digests ??= read;
    return this.#digests;
  }
}

/** One that cannot be read or was not written here says nothing: all that is there is recorded again. */
const readDigests = (text: string | null): Map<string, string | null> => {
  try {
    const found = Object.entries(JSON.parse(text ?? "{}") as object) as [string, unknown][];
    return new Map(
      found.filter((row): row is [string, string | null] => row[1] === null || typeof row[1] === "string"),
    );
  } catch {
    return new Map();
  }
};
