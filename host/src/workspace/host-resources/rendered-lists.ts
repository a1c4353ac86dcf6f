/**
 * The lists of files as they are answered, each kept until a file of its workspace comes, goes or is changed: writing down
 * ten thousand files takes the host a while, and a bundle may ask a hundred times a second. What has to be written anew is
 * written one list at a time in a workspace, with a rest after each.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FileInfo, FilesOf } from "../../kernel/files.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { FileFilter } from "./list-params.ts";

export interface RenderedList {
  readonly json: RawJson;
  readonly count: number;
}

interface Kept extends RenderedList {
  readonly version: number;
}

/** Characters of all that are kept; the newest is kept however long it is. */
const MAX_LENGTH = 16_777_216;
const MAX_LISTS = 256;
/** No file has a label that makes the key of a filter longer. */
const MAX_KEY = 4_096;
/** How many times as long as the writing took the rest is; shorter ones than this many milliseconds are not worth it. */
const REST = 4;
const MIN_REST_MS = 8;

export class RenderedLists {
  readonly #files: FilesOf;
  /** The one that was asked for last stands last. */
  readonly #kept = new Map<string, Kept>();
  readonly #turns = new Map<string, Promise<unknown>>();
  #length = 0;

  constructor(files: FilesOf) {
    this.#files = files;
  }

  async find(workspace: string, filter: FileFilter): Promise<RenderedList> {
    const key = keyOf(workspace, filter);
    const kept = this.#current(key, workspace);
    if (kept) return kept;
    const before = this.#turns.get(workspace) ?? Promise.resolve();
    const turn = before.then(() => this.#current(key, workspace) ?? this.#render(key, workspace, filter));
    const rested = turn.then(
      ({ took }) => (took * REST < MIN_REST_MS ? undefined : sleep(took * REST)),
      () => {},
    );
    this.#turns.set(workspace, rested);
    void rested.then(() => this.#turns.get(workspace) === rested && this.#turns.delete(workspace));
    return turn;
  }

  #current(key: string, workspace: string): (Kept & { readonly took: number }) | null {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.version !== this.#files(workspace).version()) return null;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return { ...kept, took: 0 };
  }

  #render(key: string, workspace: string, filter: FileFilter): RenderedList & { readonly took: number } {
    const began = performance.now();
    const files = this.#files(workspace);
    const found = files.all(filter);
    const json = rawJson(`{"resources":[${found.map(describe).join(",")}]}`);
    const list = { json, count: found.length };
    if (key.length <= MAX_KEY) this.#keep(key, { ...list, version: files.version() });
    return { ...list, took: performance.now() - began };
  }

  #keep(key: string, list: Kept): void {
    this.#drop(key);
    this.#kept.set(key, list);
    this.#length += list.json.length;
    for (const oldest of this.#kept.keys()) {
      if (oldest === key || (this.#length <= MAX_LENGTH && this.#kept.size <= MAX_LISTS)) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#length -= this.#kept.get(key)?.json.length ?? 0;
    this.#kept.delete(key);
  }
}

const keyOf = (workspace: string, { mimeType, tags = [] }: FileFilter): string =>
  JSON.stringify([workspace, mimeType?.toLowerCase() ?? null, ...tags]);

const describe = ({ uri, filename, mimeType, size }: FileInfo): string =>
  JSON.stringify({ uri, name: filename, mimeType, size });
