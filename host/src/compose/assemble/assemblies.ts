/** What was assembled last of each artifact, and of what. It counts for as long as its first output is there. */
import { lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkConfigId } from "../configs/config-id.ts";
import { DRAFT_END, dropOlder, readPrivate, writePrivate } from "../storage/private-files.ts";
import { Turns } from "../storage/turns.ts";

const HOUR_MS = 3_600_000;
const MAX_BYTES = 10_000_000;
/** No artifact of a longer id can be saved: it would be too long for the name of its file. */
const MAX_ID = 241;

export interface Assembly {
  readonly artifact_id: string;
  readonly at: string;
  /** As answers name them; the first one first. */
  readonly outputs: readonly string[];
  /** The first output's file, absolute. */
  readonly file: string;
  readonly components: readonly { readonly content_id: string; readonly version_id: string }[];
  /** `sha256:<hex>` of the first output's text. */
  readonly digest: string;
}

export interface AssembliesOptions {
  /** `.../compose/assemblies` */
  readonly dir: string;
  readonly now: () => Date;
}

export class Assemblies {
  readonly #dir: string;
  readonly #now: () => Date;
  readonly #turns = new Turns();
  #isTidy = false;

  constructor({ dir, now }: AssembliesOptions) {
    this.#dir = dir;
    this.#now = now;
  }

  /** Its outputs are written. */
  async remember(given: Omit<Assembly, "at">): Promise<Assembly> {
    const path = this.#pathOf(given.artifact_id);
    return this.#turns.run(given.artifact_id, async () => {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      await this.#tidy();
      const assembly: Assembly = { ...given, at: this.#now().toISOString() };
      await writePrivate(path, JSON.stringify(assembly), { replace: true });
      return assembly;
    });
  }

  /** Null: it never was, or its first output is no longer there. */
  async last(id: string): Promise<Assembly | null> {
    const path = this.#pathOf(id);
    const text = id.length > MAX_ID ? null : await readPrivate(path, MAX_BYTES);
    const assembly = text === null ? null : readAssembly(text);
    if (assembly?.artifact_id !== id) return null;
    const found = await lstat(assembly.file).catch(() => null);
    return found?.isFile() === true ? assembly : null;
  }

  /** What an interruption left, once. */
  async #tidy(): Promise<void> {
    if (this.#isTidy) return;
    this.#isTidy = true;
    const before = new Date(this.#now().getTime() - HOUR_MS);
    for (const name of await readdir(this.#dir))
      if (name.endsWith(DRAFT_END)) await dropOlder(join(this.#dir, name), before);
  }

  #pathOf(id: string): string {
    return join(this.#dir, `${checkConfigId(id)}.json`);
  }
}

/** Null: the text is none that was written here. */
const readAssembly = (text: string): Assembly | null => {
  try {
    const found = JSON.parse(text) as Partial<Assembly> | null;
    const isWhole =
      typeof found?.artifact_id === "string" &&
      typeof found.file === "string" &&
      typeof found.at === "string" &&
      Array.isArray(found.outputs);
    return isWhole ? (found as Assembly) : null;
  } catch {
    return null;
  }
};
