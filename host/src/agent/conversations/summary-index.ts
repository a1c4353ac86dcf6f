/**
 * The summaries of all conversations in a folder. The first look reads the small meta files, and a log only where its meta file
 * is missing or does not fit; from then on a look is one reading of the folder, and only what is new there is opened.
 */
import { lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Refusal } from "../../kernel/refusal.ts";
import { isConversationId } from "./conversation-id.ts";
import { isMissing, notOnDisk } from "./conversation-refusals.ts";
import { withLog } from "./log-file.ts";
import type { MetaFiles } from "./meta-files.ts";
import type { Meta } from "./meta-line.ts";
import { readLog } from "./read-log.ts";
import { beginSummary, type Tally } from "./summarise.ts";

const EXTENSION = ".jsonl";
const LOGS_AT_ONCE = 4;
/** So many meta files are read before others have their turn. */
const STEP = 32;

interface Stale {
  readonly isFresh: false;
  readonly meta: Meta | null;
  readonly changedAt: Date;
}

type Found = Stale | { readonly isFresh: true; readonly meta: Meta };

export class SummaryIndex {
  readonly #dir: string;
  readonly #metas: MetaFiles;
  readonly #rows = new Map<string, Tally>();
  /** Removed while the folder was being read. */
  readonly #gone = new Set<string>();
  #looking: Promise<void> | null = null;

  constructor(dir: string, metas: MetaFiles) {
    this.#dir = dir;
    this.#metas = metas;
  }

  set(summary: Tally): void {
    this.#rows.set(summary.id, summary);
  }

  remove(id: string): void {
    this.#rows.delete(id);
    if (this.#looking) this.#gone.add(id);
  }

  async all(): Promise<Iterable<Tally>> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
      this.#gone.clear();
    });
    await this.#looking;
    return this.#rows.values();
  }

  async #look(): Promise<void> {
    // What is made from here on may not be in the list of names, and is no less there.
    const known = [...this.#rows.keys()];
    const there = new Set(await this.#ids());
    for (const id of known) if (!there.has(id)) this.#rows.delete(id);
    const unknown = [...there].filter((id) => !this.#rows.has(id)).values();
    await Promise.all(Array.from({ length: LOGS_AT_ONCE }, () => this.#addAll(unknown)));
  }

  /** Several share one iterator, so that each id is taken once. */
  async #addAll(ids: IterableIterator<string>): Promise<void> {
    let taken = 0;
    for (const id of ids) {
      if (++taken % STEP === 0) await setImmediate();
      const found = this.#find(id);
      const summary = found && (found.isFresh ? found.meta.summary : await this.#rebuild(id, found));
      if (summary !== null && !this.#rows.has(id) && !this.#gone.has(id)) this.#rows.set(id, summary);
    }
  }

  async #ids(): Promise<string[]> {
    try {
      const names = await readdir(this.#dir);
      return names
        .filter((name) => name.endsWith(EXTENSION))
        .map((name) => name.slice(0, -EXTENSION.length))
        .filter(isConversationId);
    } catch (error) {
      if (isMissing(error)) return [];
      throw notOnDisk(error, this.#dir);
    }
  }

  /** Null when no log lies there. */
  #find(id: string): Found | null {
    const log = lstatSync(join(this.#dir, id + EXTENSION), { throwIfNoEntry: false });
    if (log?.isFile() !== true) return null;
    const meta = this.#metas.read(id);
    return meta?.logBytes === log.size ? { isFresh: true, meta } : { isFresh: false, meta, changedAt: log.mtime };
  }

  async #rebuild(id: string, { meta, changedAt }: Stale): Promise<Tally | null> {
    const isNamed = meta?.isNamed === true;
    try {
      const rebuilt = await withLog(join(this.#dir, id + EXTENSION), "read", async (file, logBytes) => {
        const log = await readLog(file, id, () => undefined);
        return log && { summary: isNamed ? { ...log.summary, title: meta.summary.title } : log.summary, logBytes };
      });
      // Who opened or removed it meanwhile knows better.
      if (rebuilt && !this.#rows.has(id) && !this.#gone.has(id)) this.#metas.later({ ...rebuilt, isNamed });
      return rebuilt?.summary ?? null;
    } catch (no) {
      if (!(no instanceof Refusal)) throw no;
      // It is shown all the same; opening it says what to do.
      return meta?.summary ?? beginSummary({ id, createdAt: changedAt.toISOString() }, "(cannot be read)");
    }
  }
}
