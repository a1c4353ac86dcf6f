/**
 * The stored texts of one workspace. What is known of each content's versions is read when it is first asked for and then
 * kept in memory; the texts stay on disk. Drafts may have versions too, under their own ids: those are no content.
 */
import { join } from "node:path";
import { checkAnyId, isConfigId, isDraftId } from "../configs/config-id.ts";
import { planCleanup, type CleanupRules, type Retention } from "./plan-cleanup.ts";
import { readIds } from "./read-ids.ts";
import { bytesOf, contentHash, type NewVersion, type StoredVersion } from "./stored-version.ts";
import { untold, type TellSwept } from "./tell-swept.ts";
import { Turns } from "./turns.ts";
import { dropLeftovers, dropVersions, readFolder, readText, writeVersion } from "./version-folder.ts";
import { nextVersionId } from "./version-id.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Contents that are read at a time: few, since their files are read in steps without a pause, and others wait meanwhile. */
const STEP = 2;
const NONE: readonly StoredVersion[] = [];

export interface VersionStoreOptions {
  /** `.../compose/ephemeral` */
  readonly dir: string;
  readonly now: () => Date;
}

/** Of one content that something was, or would be, removed of. */
export interface Cleaned {
  readonly content_id: string;
  readonly before: readonly StoredVersion[];
  readonly deleted: readonly StoredVersion[];
}

export interface CleanupWish {
  readonly retention: Retention;
  readonly olderThanDays: number;
  /** Null: all contents. */
  readonly contentIds: readonly string[] | null;
  readonly dryRun: boolean;
}

interface SweepWish {
  readonly days: number;
  /** The draft of that id is still there. */
  readonly hasDraft: (id: string) => Promise<boolean>;
  readonly tell: TellSwept;
}

interface RemoveWish {
  readonly keepMeta: boolean;
  /** Absent: whoever asks for it is on record. */
  readonly tell?: TellSwept;
}

interface CleanWish {
  readonly rules: CleanupRules;
  readonly dryRun: boolean;
  readonly tell: TellSwept;
}

interface StorageTotals {
  readonly content_count: number;
  readonly version_count: number;
  readonly total_bytes: number;
}

interface Known {
  /** Oldest first. Never changed: another list takes its place. */
  readonly versions: readonly StoredVersion[];
  /** Whose texts were deleted. */
  readonly kept: readonly StoredVersion[];
  readonly lastId: string | null;
}

interface Loaded {
  readonly versions: readonly StoredVersion[];
  /** Of their texts. */
  readonly bytes: number;
}

export class VersionStore {
  readonly #dir: string;
  readonly #now: () => Date;
  readonly #known = new Map<string, Promise<Known>>();
  /** Those of them that have been read. */
  readonly #loaded = new Map<string, Loaded>();
  /** Null: to be gathered anew. */
  #contents: readonly string[] | null = null;
  readonly #turns = new Turns();
  #ids: Promise<Set<string>> | null = null;

  constructor({ dir, now }: VersionStoreOptions) {
    this.#dir = dir;
    this.#now = now;
  }

  /** Oldest first; none for what was never stored. Of a draft too. */
  async versionsOf(id: string): Promise<readonly StoredVersion[]> {
    return (await this.#read(checkAnyId(id))).versions;
  }

  /** Null: it was removed meanwhile. */
  readText(version: StoredVersion): Promise<string | null> {
    return readText(this.#folder(checkAnyId(version.content_id)), version);
  }

  async add(given: NewVersion): Promise<StoredVersion> {
    const id = checkAnyId(given.content_id);
    return this.#change(id, async (known) => {
      const { text, reason, content_id, format, approved, fallback, context_variables, ...made } = given;
      const timestamp = this.#now().toISOString();
      const version: StoredVersion = {
        content_id,
        version_id: nextVersionId(timestamp, known.lastId),
        timestamp,
        format,
        size_bytes: Buffer.byteLength(text),
        content_hash: contentHash(text),
        ...made,
        context_variables,
        approved,
        ...(fallback === undefined ? {} : { fallback }),
        ...(reason === undefined ? {} : { reason }),
      };
      await writeVersion(this.#folder(id), version, text);
      return { result: version, versions: [...known.versions, version], lastId: version.version_id };
    });
  }

  /** Of contents that have a version, sorted. Drafts are none. The same array while there are the same. */
  async contentIds(): Promise<readonly string[]> {
    const unread: string[] = [];
    for (const id of await this.#allIds()) if (!this.#loaded.has(id) && isConfigId(id)) unread.push(id);
    for (let at = 0; at < unread.length; at += STEP) {
      await Promise.all(unread.slice(at, at + STEP).map((id) => this.versionsOf(id)));
    }
    return (this.#contents ??= [...this.#loaded]
      .flatMap(([id, { versions }]) => (versions.length > 0 && isConfigId(id) ? [id] : []))
      .toSorted());
  }

  /** The first of them: no others are read for it. */
  async firstIds(count: number): Promise<readonly string[]> {
    if (this.#contents !== null) return this.#contents.slice(0, count);
    const found: string[] = [];
    for (const id of [...(await this.#allIds())].filter(isConfigId).toSorted()) {
      if (found.length === count) break;
      if ((await this.versionsOf(id)).length > 0) found.push(id);
    }
    return found;
  }

  /** Of all contents. */
  async totals(): Promise<StorageTotals> {
    const totals = { content_count: 0, version_count: 0, total_bytes: 0 };
    for (const id of await this.contentIds()) {
      const loaded = this.#loaded.get(id);
      // It may have gone meanwhile.
      if (loaded === undefined || loaded.versions.length === 0) continue;
      totals.content_count++;
      totals.version_count += loaded.versions.length;
      totals.total_bytes += loaded.bytes;
    }
    return totals;
  }

  /** Resolves with those that were removed; none: there is no such content. */
  async remove(id: string, { keepMeta, tell = untold }: RemoveWish): Promise<readonly StoredVersion[]> {
    return this.#change(checkAnyId(id), async (known) => {
      await tell({ content_id: id, versions: known.versions, metadataOnly: false });
      await dropVersions(this.#folder(id), { versions: known.versions, keepMeta });
      const kept = keepMeta ? [...known.kept, ...known.versions] : known.kept;
      return { result: known.versions, versions: NONE, kept };
    });
  }

  /** Also `checked`: how many contents were looked at. */
  async cleanup(wish: CleanupWish): Promise<{ readonly checked: number; readonly cleaned: readonly Cleaned[] }> {
    const { retention, olderThanDays, contentIds, dryRun } = wish;
    const wanted = contentIds === null ? null : new Set(contentIds.map(checkAnyId));
    const ids = (await this.contentIds()).filter((id) => wanted?.has(id) ?? true);
    const rules = { retention, olderThanDays, now: this.#now() };
    const cleaned: Cleaned[] = [];
    for (const id of ids) {
      const found = await this.#clean(id, { rules, dryRun, tell: untold });
      if (found.deleted.length > 0) cleaned.push(found);
    }
    return { checked: ids.length, cleaned };
  }

  /** What is done once a day: age alone counts, the latest version stays. */
  async sweep({ days, hasDraft, tell }: SweepWish): Promise<void> {
    const now = this.#now();
    const retention = { keep_versions: 0, keep_days: days, keep_latest: true };
    const rules = { retention, olderThanDays: 0, now };
    for (const id of await this.#allIds()) {
      if (isDraftId(id) && !(await hasDraft(id))) await this.remove(id, { keepMeta: false, tell });
      else if (isConfigId(id)) await this.#clean(id, { rules, dryRun: false, tell });
      await this.#sweepFolder(id, new Date(now.getTime() - days * DAY_MS), tell);
    }
  }

  #clean(id: string, { rules, dryRun, tell }: CleanWish): Promise<Cleaned> {
    return this.#change(id, async ({ versions }) => {
      const deleted = planCleanup(versions, rules);
      const result = { content_id: id, before: versions, deleted };
      if (dryRun || deleted.length === 0) return { result, versions };
      await tell({ content_id: id, versions: deleted, metadataOnly: false });
      await dropVersions(this.#folder(id), { versions: deleted, keepMeta: false });
      const gone = new Set(deleted);
      return { result, versions: versions.filter((version) => !gone.has(version)) };
    });
  }

  #sweepFolder(id: string, before: Date, tell: TellSwept): Promise<void> {
    return this.#change(id, async ({ versions, kept }) => {
      const old = new Set(kept.filter(({ timestamp }) => new Date(timestamp) < before));
      await dropLeftovers(this.#folder(id), new Date(this.#now().getTime() - HOUR_MS));
      await tell({ content_id: id, versions: [...old], metadataOnly: true });
      await dropVersions(this.#folder(id), { versions: [...old], keepMeta: false });
      return { result: undefined, versions, kept: kept.filter((version) => !old.has(version)) };
    });
  }

  /** One change at a time. After one that failed, the disk says what is there. */
  #change<T>(
    id: string,
    work: (known: Known) => Promise<{ result: T; versions: Known["versions"] } & Partial<Known>>,
  ): Promise<T> {
    return this.#turns.run(id, async () => {
      const known = await this.#read(id);
      try {
        const { result, ...changed } = await work(known);
        const next = { ...known, ...changed };
        this.#keep(id, next);
        // What it was begun for says why it failed; this is done.
        const ids = await this.#ids?.catch(() => null);
        if (isNothing(next)) ids?.delete(id);
        else ids?.add(id);
        return result;
      } catch (error) {
        this.#forget(id);
        throw error;
      }
    });
  }

  #read(id: string): Promise<Known> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const reading = readFolder(this.#folder(id), id).then(({ versions, kept }) => {
      const [a, b] = [versions.at(-1)?.version_id ?? null, kept.at(-1)?.version_id ?? null];
      return { versions, kept, lastId: laterOf(a, b) };
    });
    this.#known.set(id, reading);
    const isLast = (): boolean => this.#known.get(id) === reading;
    reading.then(
      (found) => isLast() && this.#keep(id, found),
      () => isLast() && this.#forget(id),
    );
    return reading;
  }

  #keep(id: string, known: Known): void {
    // Callers may ask for any id: what is not there is not remembered.
    if (isNothing(known)) return this.#forget(id);
    const before = this.#loaded.get(id)?.versions.length ?? 0;
    if (known.versions.length > 0 !== before > 0) this.#contents = null;
    this.#known.set(id, Promise.resolve(known));
    this.#loaded.set(id, { versions: known.versions, bytes: bytesOf(known.versions) });
  }

  #forget(id: string): void {
    this.#known.delete(id);
    if (this.#loaded.delete(id)) this.#contents = null;
  }

  #allIds(): Promise<Set<string>> {
    this.#ids ??= readIds(this.#dir).catch((error: unknown) => {
      this.#ids = null;
      throw error;
    });
    return this.#ids;
  }

  #folder(id: string): string {
    return join(this.#dir, id);
  }
}

const isNothing = ({ versions, kept }: Known): boolean => versions.length + kept.length === 0;

const laterOf = (a: string | null, b: string | null): string | null => {
  if (a === null || b === null) return a ?? b;
  return nextVersionId(a, b) === a ? a : b;
};
