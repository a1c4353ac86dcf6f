/**
 * The files of one workspace on disk: the bytes in `files/data`, what is known of them in `files/index.db`. A workspace without
 * files has neither, and opening it does nothing. Bytes are durable before the index names them and leave after it has
 * forgotten them; what an interruption leaves over is removed at the next opening.
 *
 * The search looks in filename, description, tags and the first 200 KiB of text files (`search-terms.ts` says how); text
 * behind the 200 KiB is not found. A thread searches (`text-desk.ts`); the text of a new file comes there soon after it.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FileInfo, FilePage, FileQuery, FileSearch, FileStore, NewFile } from "../../kernel/files.ts";
import { HostError } from "../../kernel/host-error.ts";
import { dropBytes, dropBytesNow, readBytes, writeBytes } from "./file-bytes.ts";
import { fileUri, isFileId, makeFileId } from "./file-id.ts";
import { FileIndex, type Totals } from "./file-index.ts";
import { FileQuota, type FileLimits } from "./file-quota.ts";
import { changeTags, invalidInput, labelOf, type FileLabel } from "./file-rules.ts";
import type { Filter } from "./file-selection.ts";
import { searchTerms } from "./search-terms.ts";
import type { TextDesk } from "./text-desk.ts";
import { isText } from "./text-of.ts";

const MAX_TERMS = 8;
/** Each is one create or delete that was under way when the host ended. */
const MAX_LOOSE = 10_000;
const NONE: Totals = { files: 0, bytes: 0 };
const NO_FILES: FilePage = { files: [], total: 0 };

export interface FileStoreOptions {
  /** The folder of the workspace. */
  readonly dir: string;
  readonly limits: FileLimits;
  readonly text: TextDesk;
}

export const openFileStore = (options: FileStoreOptions): FileStore => new DiskFileStore(options);

class DiskFileStore implements FileStore {
  readonly #folder: string;
  readonly #data: string;
  readonly #path: string;
  readonly #quota: FileQuota;
  readonly #text: TextDesk;
  #index: FileIndex | null = null;
  #version = 0;
  #closed = false;

  constructor({ dir, limits, text }: FileStoreOptions) {
    this.#folder = join(dir, "files");
    this.#data = join(this.#folder, "data");
    this.#path = join(this.#folder, "index.db");
    this.#quota = new FileQuota(limits);
    this.#text = text;
  }

  async create(file: NewFile): Promise<FileInfo> {
    const label = labelOf(file);
    const size = file.bytes.length;
    this.#quota.take({ size, filename: label.filename }, this.#existing()?.totals() ?? NONE);
    try {
      return await this.#write(file, label);
    } finally {
      this.#quota.give(size);
    }
  }

  info(id: string): FileInfo | null {
    return isFileId(id) ? (this.#existing()?.find(id) ?? null) : null;
  }

  async read(id: string): Promise<Buffer | null> {
    const info = this.info(id);
    return info && (await readBytes(this.#data, id, info.size));
  }

  list(query: FileQuery): FilePage {
    return this.#existing()?.list(query) ?? NO_FILES;
  }

  version(): number {
    return this.#version;
  }

  all(filter: Omit<Filter, "mimePrefix">): readonly FileInfo[] {
    return this.#existing()?.all(filter) ?? [];
  }

  async search({ query, ...filter }: FileSearch): Promise<FilePage> {
    const terms = searchTerms(query);
    if (terms.length === 0) throw invalidInput("/query", "must have a letter or a digit");
    if (terms.length > MAX_TERMS) throw invalidInput("/query", `must have at most ${MAX_TERMS} words`);
    if (this.#existing() === null) return NO_FILES;
    const { ids, total } = await this.#text.search(this.#folder, terms, filter);
    // One may have gone since.
    const files = ids.map((id) => this.info(id)).filter((info) => info !== null);
    return { files, total: total - (ids.length - files.length) };
  }

  async tag(
    id: string,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<FileInfo | null> {
    const info = this.info(id);
    if (info === null) return null;
    const tags = changeTags(info.tags, change);
    if (tags.length === info.tags.length && tags.every((tag, at) => tag === info.tags[at])) return info;
    const changed = { ...info, tags };
    this.#made().retag(changed);
    this.#version++;
    return changed;
  }

  async remove(id: string): Promise<boolean> {
    const removed = isFileId(id) ? this.#existing()?.remove(id) : null;
    if (!removed) return false;
    this.#version++;
    if (removed.hasText) this.#text.follow(this.#folder, removed.seq);
    await this.#drop(id);
    return true;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#index !== null) await this.#text.leave(this.#folder);
    this.#index?.close();
    this.#index = null;
  }

  async #write({ bytes, createdBy }: NewFile, { filename, mimeType, tags, description }: FileLabel): Promise<FileInfo> {
    const id = makeFileId();
    this.#made().announce(id);
    try {
      const sha256 = await writeBytes(this.#data, id, bytes);
      const said = description === null ? {} : { description };
      const createdAt = new Date().toISOString();
      const size = bytes.length;
      const info = { id, uri: fileUri(id), filename, mimeType, size, sha256, tags, ...said, createdAt, createdBy };
      const hasText = size > 0 && isText(mimeType, bytes);
      this.#made().add(info, hasText);
      this.#version++;
      if (hasText) this.#text.follow(this.#folder);
      return info;
    } catch (error) {
      await this.#drop(id);
      throw error;
    }
  }

  /** What cannot be removed now stays noted as loose and is removed at the next opening. */
  async #drop(id: string): Promise<void> {
    try {
      await dropBytes(this.#data, id);
      this.#index?.settle(id);
    } catch {
      // Noted already.
    }
  }

  /** Null while the workspace has no files. */
  #existing(): FileIndex | null {
    if (this.#closed) throw new HostError(`the files in ${this.#folder} are closed`);
    if (this.#index === null && existsSync(this.#path)) this.#open();
    return this.#index;
  }

  #made(): FileIndex {
    const existing = this.#existing();
    if (existing) return existing;
    mkdirSync(this.#data, { recursive: true, mode: 0o700 });
    return this.#open();
  }

  #open(): FileIndex {
    const index = new FileIndex(this.#path);
    for (const id of index.loose(MAX_LOOSE)) {
      dropBytesNow(this.#data, id);
      index.settle(id);
    }
    this.#index = index;
    return index;
  }
}
