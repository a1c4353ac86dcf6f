/**
 * `<id>.meta.json` beside each log: what a list shows, so that no log is read for it. All of it but a title that somebody gave
 * can be rebuilt; `logBytes` tells whether it still fits its log. Written one at a time, behind the log.
 */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../kernel/sync-folder.ts";
import { notOnDisk } from "./conversation-refusals.ts";
import { decodeMeta, encodeMeta, MAX_META_BYTES, type Meta } from "./meta-line.ts";
import { writeDraft } from "./private-files.ts";

export class MetaFiles {
  readonly #dir: string;
  readonly #buffer = Buffer.allocUnsafe(MAX_META_BYTES);
  readonly #waiting = new Map<string, Meta>();
  #last: Promise<void> = Promise.resolve();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Null when there is none that can be used. A few microseconds: a list wants thousands of them. */
  read(id: string): Meta | null {
    let file: number;
    try {
      file = openSync(this.#path(id), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch {
      return null;
    }
    try {
      const bytesRead = readSync(file, this.#buffer, 0, MAX_META_BYTES, 0);
      return decodeMeta(this.#buffer.toString("utf8", 0, bytesRead), id);
    } catch {
      return null;
    } finally {
      closeSync(file);
    }
  }

  /** Soon. If it cannot be written, nothing is lost: the next one who looks finds that it does not fit and rebuilds it. */
  later(meta: Meta): void {
    const { id } = meta.summary;
    const isWaiting = this.#waiting.has(id);
    this.#waiting.set(id, meta);
    if (isWaiting) return;
    void this.#inTurn(() => this.#writeWaiting(id)).catch(() => undefined);
  }

  /** Durable when it resolves. */
  async now(meta: Meta): Promise<void> {
    this.#waiting.delete(meta.summary.id);
    await this.#inTurn(() => this.#write(meta, true));
  }

  async remove(id: string): Promise<void> {
    this.#waiting.delete(id);
    await this.#inTurn(() => rm(this.#path(id), { force: true }));
  }

  async settled(): Promise<void> {
    await this.#last;
  }

  async #writeWaiting(id: string): Promise<void> {
    const meta = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (meta) await this.#write(meta, false);
  }

  async #write(meta: Meta, durably: boolean): Promise<void> {
    const path = this.#path(meta.summary.id);
    try {
      const { draft } = await writeDraft(path, async (file) => {
        await file.writeFile(encodeMeta(meta));
        if (durably) await file.sync();
      });
      await rename(draft, path);
      if (durably) await syncFolder(this.#dir);
    } catch (error) {
      throw notOnDisk(error, path);
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #path(id: string): string {
    return join(this.#dir, `${id}.meta.json`);
  }
}
