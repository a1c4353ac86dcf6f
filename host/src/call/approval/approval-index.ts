/** Approvals by id, by call and by who asked, with the counts that bound them. Knows nothing of time but what it is told. */
import { principalName } from "../../kernel/principal-name.ts";
import { isLive } from "./next-state.ts";
import { callKey, type StoredApproval } from "./stored-approval.ts";

const MAX_ENDED = 10_000;
const KEPT_MS = 30 * 86_400_000;
/** How many of those that are over go with one write. */
const SLICE = 32;

interface Load {
  live: number;
  pending: number;
  characters: number;
}

const NO_LOAD: Readonly<Load> = Object.freeze({ live: 0, pending: 0, characters: 0 });

const ownerOf = ({ requested_by, on_behalf_of }: StoredApproval): string =>
  principalName({ id: requested_by, onBehalfOf: on_behalf_of ?? null });

/** Of two of the same millisecond the one that still lives is the later one: a call has one of these at a time. */
const byAge = (a: StoredApproval, b: StoredApproval): number =>
  a.created_at === b.created_at
    ? Number(isLive(a.state)) - Number(isLive(b.state))
    : a.created_at < b.created_at
      ? -1
      : 1;

export class ApprovalIndex {
  readonly #records = new Map<string, StoredApproval>();
  /** The newest for each call. */
  readonly #current = new Map<string, string>();
  /** What waits or could be used, by who asked: how many wait for a decision, and how much text is kept of all. */
  readonly #loads = new Map<string, Load>();
  readonly #live = new Set<string>();
  /** In the order in which they ended, with when. */
  readonly #ended = new Map<string, number>();
  readonly #load: Load = { live: 0, pending: 0, characters: 0 };

  constructor(records: readonly StoredApproval[]) {
    for (const record of records.toSorted(byAge)) this.put(record);
    const ended = records.filter(({ state }) => !isLive(state));
    for (const record of ended.toSorted((a, b) => ((a.ended_at ?? "") < (b.ended_at ?? "") ? -1 : 1))) this.put(record);
  }

  get(id: string): StoredApproval | null {
    return this.#records.get(id) ?? null;
  }

  current(key: string): StoredApproval | null {
    const id = this.#current.get(key);
    return id === undefined ? null : this.get(id);
  }

  /** Newest first. */
  *newest(): Generator<StoredApproval> {
    yield* [...this.#records.values()].toReversed();
  }

  live(): readonly StoredApproval[] {
    return [...this.#live].flatMap((id) => this.#records.get(id) ?? []);
  }

  /** What waits or could be used: of all, and of this principal. */
  loads(owner: string): { readonly all: Readonly<Load>; readonly own: Readonly<Load> } {
    return { all: this.#load, own: this.#loads.get(owner) ?? NO_LOAD };
  }

  put(record: StoredApproval): void {
    const before = this.#records.get(record.id);
    if (before === undefined) this.#current.set(callKey(record), record.id);
    else this.#forget(before);
    this.#records.set(record.id, record);
    this.#count(record, 1);
    if (isLive(record.state)) this.#live.add(record.id);
    else this.#ended.set(record.id, Date.parse(record.ended_at ?? record.created_at));
  }

  remove(id: string): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    this.#forget(record);
    this.#records.delete(id);
    const key = callKey(record);
    if (this.#current.get(key) === id) this.#current.delete(key);
  }

  /** Takes out those that are over and belong to calls of these correlations. */
  forget(correlationIds: ReadonlySet<string>): void {
    for (const id of this.#ended.keys())
      if (correlationIds.has(this.#records.get(id)?.correlation_id ?? "")) this.remove(id);
  }

  /** Those that need not be kept any more, a few at a time. */
  stale(now: number): readonly string[] {
    const stale: string[] = [];
    for (const [id, endedAt] of this.#ended) {
      const isOver = endedAt + KEPT_MS < now || this.#ended.size - stale.length > MAX_ENDED;
      if (!isOver || stale.length === SLICE) break;
      stale.push(id);
    }
    return stale;
  }

  #forget(record: StoredApproval): void {
    this.#count(record, -1);
    this.#live.delete(record.id);
    this.#ended.delete(record.id);
  }

  #count(record: StoredApproval, by: 1 | -1): void {
    if (!isLive(record.state)) return;
    const owner = ownerOf(record);
    const own = this.#loads.get(owner) ?? { ...NO_LOAD };
    for (const load of [this.#load, own]) {
      load.live += by;
      load.pending += record.state === "pending" ? by : 0;
      load.characters += by * (record.input?.length ?? 0);
    }
    if (own.live === 0) this.#loads.delete(owner);
    else this.#loads.set(owner, own);
  }
}
