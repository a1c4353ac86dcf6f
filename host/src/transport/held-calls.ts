/**
 * The table of parked calls: they asked their caller, were answered `input_required`, and wait for the caller to come
 * back. A place is used once and for a limited time, and there are only so many.
 */
import { makeNonce } from "./request-state.ts";

const MAX_A_PRINCIPAL = 64;
const MAX_A_HOST = 1000;
/** Of requests of parked calls and results that came while nobody waited, all together. */
const MAX_KEPT_CHARS = 67_108_864;

/** What the table needs of a call that waits in it. */
export interface Parked {
  readonly owner: string;
  /** Characters of the request that it keeps in memory while it waits. */
  readonly chars: number;
  /** Nobody came back for it: its questions are withdrawn and it is cancelled. */
  abandon(): void;
}

export interface Place {
  readonly nonce: string;
  readonly expires: number;
}

interface Entry<Call> {
  readonly call: Call;
  readonly timer: NodeJS.Timeout;
}

export class HeldCalls<Call extends Parked> {
  readonly #holdMs: number;
  readonly #parked = new Map<string, Entry<Call>>();
  readonly #counts = new Map<string, number>();
  #kept = 0;
  #closed = false;

  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Null: there is no place, and the call has to go on without an answer. */
  park(call: Call): Place | null {
    const count = this.#counts.get(call.owner) ?? 0;
    if (this.#closed || count >= MAX_A_PRINCIPAL || this.#parked.size >= MAX_A_HOST) return null;
    if (!this.keep(call.chars)) return null;
    const nonce = makeNonce();
    const timer = setTimeout(() => this.take(nonce)?.abandon(), this.#holdMs).unref();
    this.#parked.set(nonce, { call, timer });
    this.#counts.set(call.owner, count + 1);
    return { nonce, expires: Date.now() + this.#holdMs };
  }

  /** The call that waits there; null: somebody took it before, or its time is over. */
  find(nonce: string): Call | null {
    return this.#parked.get(nonce)?.call ?? null;
  }

  /** The call, whose place is then free; null: somebody took it before, or its time is over. */
  take(nonce: string): Call | null {
    const entry = this.#parked.get(nonce);
    if (entry === undefined) return null;
    clearTimeout(entry.timer);
    this.#parked.delete(nonce);
    this.release(entry.call.chars);
    const { owner } = entry.call;
    const count = this.#counts.get(owner) ?? 0;
    if (count > 1) this.#counts.set(owner, count - 1);
    else this.#counts.delete(owner);
    return entry.call;
  }

  /** Room for a result until its caller comes; false: there is none. */
  keep(chars: number): boolean {
    if (this.#kept + chars > MAX_KEPT_CHARS) return false;
    this.#kept += chars;
    return true;
  }

  release(chars: number): void {
    this.#kept -= chars;
  }

  /** Nobody can come back any more. */
  close(): void {
    this.#closed = true;
    for (const nonce of this.#parked.keys()) this.take(nonce)?.abandon();
  }
}
