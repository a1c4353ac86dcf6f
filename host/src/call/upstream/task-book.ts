/**
 * All tasks that the host knows, with their limits: who may have how many, and how long one that ended is kept. What it
 * holds is what the store holds.
 */
import type { Asker } from "../../kernel/ask.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { TaskRecord, TaskStore, WatchedTask } from "../../kernel/tasks.ts";
import { taskEntry, type TaskEntry } from "./task-entry.ts";

const MAX_OPEN = 1_000;
const MAX_OPEN_A_PRINCIPAL = 64;
/** Those that ended and are still kept included. */
const MAX_KEPT = 5_000;
const MAX_KEPT_A_PRINCIPAL = 500;
const KEPT_AFTER_END_MS = 3_600_000;
const MAX_TTL_MS = 7 * 86_400_000;
const RETRY_MS = 5_000;

const ownerOf = ({ id, onBehalfOf, workspace }: Principal): string => `${id}\n${onBehalfOf ?? ""}\n${workspace}`;

export const lifeOf = ({ createdAt, ttlMs }: TaskRecord): number =>
  createdAt + Math.min(ttlMs ?? MAX_TTL_MS, MAX_TTL_MS);

const keptUntil = (record: TaskRecord): number => {
  if (record.endedAt === null) return Number.POSITIVE_INFINITY;
  const afterEnd = record.endedAt + KEPT_AFTER_END_MS;
  return record.ttlMs === null ? afterEnd : Math.max(afterEnd, lifeOf(record));
};

export class TaskBook {
  readonly #store: TaskStore;
  readonly #entries = new Map<string, TaskEntry>();
  readonly #openCounts = new Map<string, number>();
  #open = 0;

  /** `isOpen` says whether an invocation has no outcome yet: a crash may have come between the outcome and the store. */
  constructor(store: TaskStore, isOpen: (invocationId: string) => boolean) {
    this.#store = store;
    for (const kept of store.records()) this.#add(taskEntry(kept));
    for (const entry of this.open()) {
      if (entry.record.waits !== undefined) continue;
      // What is not saved is found out again at the next start.
      if (!isOpen(entry.record.invocation.id)) this.end(entry).catch(() => {});
    }
  }

  get openCount(): number {
    return this.#open;
  }

  *open(): Iterable<TaskEntry> {
    for (const entry of this.#entries.values()) if (entry.record.endedAt === null) yield entry;
  }

  all(): Iterable<TaskEntry> {
    return this.#entries.values();
  }

  /** Null for one that is not there, another's, or not of this endpoint. */
  find({ id, provider, principal }: Omit<WatchedTask, "declared">): TaskEntry | null {
    const entry = this.#entries.get(id);
    if (!entry || ownerOf(entry.record.principal) !== ownerOf(principal)) return null;
    return provider === null || provider === entry.record.provider ? entry : null;
  }

  /** The task of the host whose call this is; null: it is a caller's own. */
  ownOf(asker: Asker): TaskEntry | null {
    if (asker.returns) return null;
    for (const entry of this.#entries.values()) if (entry.own?.asker === asker) return entry;
    return null;
  }

  /** Takes a place for it; `keep` makes it durable, `drop` gives the place back. */
  admit(record: TaskRecord): TaskEntry {
    const owner = ownerOf(record.principal);
    this.#makeRoom(MAX_KEPT_A_PRINCIPAL, (each) => ownerOf(each.record.principal) === owner);
    this.#makeRoom(MAX_KEPT, () => true);
    const used = this.#openCounts.get(owner) ?? 0;
    if (used >= MAX_OPEN_A_PRINCIPAL) throw tooMany(record.flatName, MAX_OPEN_A_PRINCIPAL, "of this principal");
    if (this.#open >= MAX_OPEN) throw tooMany(record.flatName, MAX_OPEN, "of this host");
    const entry = taskEntry(record);
    this.#add(entry);
    return entry;
  }

  /** A task of the host becomes its server's, under the same id. Returns what takes that back. */
  handOver(entry: TaskEntry, record: TaskRecord): () => void {
    const { record: before, own } = entry;
    entry.record = record;
    entry.own = null;
    return () => Object.assign(entry, { record: before, own });
  }

  keep({ record }: TaskEntry): Promise<void> {
    return this.#store.save(record);
  }

  drop(entry: TaskEntry): void {
    this.#entries.delete(entry.record.id);
    if (entry.record.endedAt === null) this.#countOpen(entry.record, -1);
  }

  /** Its outcome is recorded. */
  async end(entry: TaskEntry): Promise<void> {
    if (entry.record.endedAt !== null) return;
    this.#countOpen(entry.record, -1);
    entry.record = { ...entry.record, endedAt: Date.now() };
    await this.#store.save(entry.record);
  }

  /** Forgets what ended long enough ago. */
  sweep(now = Date.now()): void {
    this.#forget([...this.#entries.values()].filter(({ record }) => keptUntil(record) <= now));
  }

  /** Of those that count, one more than `most` is too many: then the oldest that ended goes. */
  #makeRoom(most: number, counts: (entry: TaskEntry) => boolean): void {
    if (this.#entries.size < most) return;
    const counted = [...this.#entries.values()].filter(counts);
    const over = counted.filter(({ record }) => record.endedAt !== null);
    this.#forget(over.slice(0, Math.max(0, counted.length - most + 1)));
  }

  #forget(entries: readonly TaskEntry[]): void {
    if (entries.length === 0) return;
    for (const { record } of entries) this.#entries.delete(record.id);
    // What is not removed now is there at the next start, and goes then.
    this.#store.remove(entries.map(({ record }) => record.id)).catch(() => {});
  }

  #add(entry: TaskEntry): void {
    this.#entries.set(entry.record.id, entry);
    if (entry.record.endedAt === null) this.#countOpen(entry.record, 1);
  }

  #countOpen({ principal }: TaskRecord, step: 1 | -1): void {
    const owner = ownerOf(principal);
    const count = (this.#openCounts.get(owner) ?? 0) + step;
    if (count > 0) this.#openCounts.set(owner, count);
    else this.#openCounts.delete(owner);
    this.#open += step;
  }
}

const tooMany = (flatName: string, limit: number, whose: string): Refusal =>
  new Refusal("rate_limited", {
    message: `${flatName} began a task, but ${limit} tasks ${whose} are under way, which is the limit; it was told to stop.`,
    next: "Wait until some of them have ended, or cancel one, then repeat the call.",
    details: { limit, used: limit, retry_after_s: RETRY_MS / 1000 },
    retryAfterMs: RETRY_MS,
  });
