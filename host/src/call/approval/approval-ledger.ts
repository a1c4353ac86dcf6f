/**
 * All approvals there are, in memory, and every change of one on its way to the evidence database. Memory is what counts
 * while the host runs; it says only what is durable, but for the use of one, which stage 9 writes with the intent.
 */
import type { Taken } from "../../kernel/admission.ts";
import type { EvidenceDraft, EvidenceLog, EvidenceReceipt, HostState, StateWrite } from "../../kernel/evidence.ts";
import { HostError } from "../../kernel/host-error.ts";
import type { Seals } from "../../kernel/seal.ts";
import { usedEvent } from "./approval-events.ts";
import { goneRefusal } from "./approval-refusals.ts";
import { ApprovalIndex } from "./approval-index.ts";
import { endApproval, readSealed, stateAt, writeApproval, type StoredApproval } from "./stored-approval.ts";

export interface LedgerOptions {
  readonly log: EvidenceLog;
  readonly state: HostState;
  readonly seals: Seals;
  readonly now: () => number;
  readonly reportBug: (error: unknown) => void;
}

/** What a change makes of a record, and the event of it; null: nothing is to be changed. */
export interface Change {
  readonly next: StoredApproval;
  readonly event: EvidenceDraft;
  /** Durable in the same commit. */
  readonly writes?: readonly StateWrite[];
}

export class ApprovalLedger {
  readonly index: ApprovalIndex;
  readonly #options: LedgerOptions;
  /** What is being written, by id. */
  readonly #changing = new Map<string, Promise<unknown>>();
  /** Created, and not durable yet. */
  readonly #unwritten = new Set<string>();
  readonly #listeners = new Set<(record: StoredApproval) => void>();
  /** Keys in the database that nobody can read any more; they go with the next write. */
  readonly #unreadable: string[] = [];

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.index = new ApprovalIndex(this.#restore());
  }

  onChange(listener: (record: StoredApproval) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when what is being written about it is durable; null: nothing is. */
  changing(id: string): Promise<unknown> | null {
    return this.#changing.get(id) ?? null;
  }

  /** Null too for one that is not durable yet. */
  find(id: string): StoredApproval | null {
    return this.#unwritten.has(id) ? null : this.index.get(id);
  }

  /** It counts at once, for calls that are the same, and is shown once it is durable. Gives the id of its event. */
  async create({ next, event, writes = [] }: Change): Promise<string> {
    this.index.put(next);
    this.#unwritten.add(next.id);
    let eventId: string;
    try {
      eventId = await this.#write(next.id, event, [writeApproval(this.#options.seals, next), ...writes]);
    } catch (no) {
      this.index.remove(next.id);
      throw no;
    } finally {
      this.#unwritten.delete(next.id);
    }
    this.#tell(next);
    return eventId;
  }

  /** One after the other; `make` sees the record as it is then, and may throw. */
  async change(id: string, make: (record: StoredApproval) => Change | null): Promise<StoredApproval> {
    for (let earlier = this.changing(id); earlier !== null; earlier = this.changing(id))
      await earlier.catch(() => null);
    const record = this.index.get(id);
    if (record === null) throw new HostError(`There is no approval ${id}.`);
    const change = make(record);
    if (change === null) return record;
    const { next, event, writes = [] } = change;
    await this.#write(id, event, [writeApproval(this.#options.seals, next), ...writes]);
    this.index.put(next);
    this.#tell(next);
    return next;
  }

  /** Uses up a granted one, for one invocation. Throws the Refusal when it is not there any more. */
  consume(id: string, invocationId: string): Taken {
    const before = this.index.get(id);
    const now = this.#options.now();
    if (before === null) throw new HostError(`There is no approval ${id}.`);
    const state = stateAt(before, now);
    if (state !== "granted" || this.#changing.has(id)) {
      throw goneRefusal(before, state === "expired" || state === "cancelled" ? state : "consumed");
    }
    const next = endApproval(before, now, { state: "consumed", consumed_by: invocationId });
    this.index.put(next);
    this.#tell(next);
    return {
      writes: [writeApproval(this.#options.seals, next)],
      events: [usedEvent(before)],
      release: () => {
        this.index.put(before);
        this.#tell(before);
      },
    };
  }

  async #write(id: string, event: EvidenceDraft, writes: readonly StateWrite[]): Promise<string> {
    const stale = this.index.stale(this.#options.now());
    const unreadable = this.#unreadable.splice(0, 32);
    const gone = [...stale, ...unreadable].map((key): StateWrite => ({ space: "approval", key, value: null }));
    const written = this.#options.log.append(event, { state: [...writes, ...gone] });
    this.#changing.set(id, written);
    let receipt: EvidenceReceipt;
    try {
      receipt = await written;
    } catch (no) {
      this.#unreadable.push(...unreadable);
      throw no;
    } finally {
      this.#changing.delete(id);
    }
    for (const old of stale) this.index.remove(old);
    return receipt.eventId;
  }

  #tell(record: StoredApproval): void {
    for (const listener of this.#listeners) {
      try {
        listener(record);
      } catch (error) {
        this.#options.reportBug(error);
      }
    }
  }

  #restore(): readonly StoredApproval[] {
    const records: StoredApproval[] = [];
    for (const [key, value] of this.#options.state.entries("approval")) {
      if (!key.startsWith("apr_")) continue;
      const record = readSealed(this.#options.seals, value) as StoredApproval | null;
      if (record === null) this.#unreadable.push(key);
      else records.push(record);
    }
    return records;
  }
}
