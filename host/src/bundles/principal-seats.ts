/**
 * The places of those who have a connection of their own to one bundle. At most 32 are open at once; those that nobody uses
 * for a while end, and the one that was used least recently makes room for the next.
 */
import type { ProviderStatus } from "../kernel/provider.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { BundleProvider } from "./bundle-provider.ts";
import type { PrincipalView } from "./principal-view.ts";

export interface Seat {
  readonly view: PrincipalView;
  readonly provider: BundleProvider;
}

const MAX_CONNECTIONS = 32;
const MAX_VIEWS = 1_000;
const MAX_LINES = 200;
const RETRY_MS = 1_000;
const FAILED: ReadonlySet<string> = new Set(["dead", "refused"]);

export class PrincipalSeats {
  readonly #name: string;
  readonly #idleMs: number;
  readonly #seats = new Map<string, Seat>();
  #sweep: NodeJS.Timeout | undefined;

  constructor({ name, idleMs }: { readonly name: string; readonly idleMs: number }) {
    this.#name = name;
    this.#idleMs = idleMs;
  }

  find(owner: string): Seat | undefined {
    return this.#seats.get(owner);
  }

  all(): readonly Seat[] {
    return [...this.#seats.values()];
  }

  put(owner: string, seat: Seat): Seat {
    this.#seats.set(owner, seat);
    this.#forget();
    return seat;
  }

  /** Of one that is open, rather of one that runs; null: none is. */
  open(): ProviderStatus | null {
    const open = this.all().flatMap(({ view, provider }) => (view.isOpen() ? [provider.status()] : []));
    return open.find(({ state }) => state === "running") ?? open[0] ?? null;
  }

  /** Of one that gave up; null: none did. */
  failed(): ProviderStatus | null {
    const all = this.all().map(({ provider }) => provider.status());
    return all.find(({ state }) => FAILED.has(state)) ?? null;
  }

  inFlight(): number {
    return this.all().reduce((sum, { provider }) => sum + provider.inFlight(), 0);
  }

  output(): readonly string[] {
    return this.all()
      .flatMap(({ provider }) => provider.output())
      .slice(-MAX_LINES);
  }

  /** Ends the connection that was used least recently where it takes one to make room. */
  hasRoom(): boolean {
    const open = this.all().flatMap(({ view }) => (view.isOpen() ? [view] : []));
    if (open.length < MAX_CONNECTIONS) return true;
    const [longest] = open.filter((view) => !view.isBusy()).toSorted((a, b) => a.usedAt - b.usedAt);
    void longest?.rest("another principal needs the connection");
    return longest !== undefined;
  }

  /** Makes room for the connection of one who has a place; throws the Refusal when there is none. */
  admit(owner: string, view: PrincipalView): void {
    if (this.find(owner)?.view !== view) throw this.#full("this principal's place was given away");
    if (!this.hasRoom()) throw this.#full(`it has ${MAX_CONNECTIONS} connections, all of them in use`);
  }

  watchIdle(): void {
    this.#sweep ??= setInterval(() => this.#endIdle(), Math.max(1, this.#idleMs / 10)).unref();
  }

  /** Done when none is open. */
  async rest(reason: string): Promise<void> {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    await Promise.all(this.all().map(({ view }) => view.rest(reason)));
  }

  #full(because: string): Refusal {
    return new Refusal("not_ready", {
      message: `${this.#name} cannot be connected now: ${because}; nothing was sent.`,
      next: `Try again in ${RETRY_MS} ms.`,
      retryAfterMs: RETRY_MS,
    });
  }

  #endIdle(): void {
    const before = Date.now() - this.#idleMs;
    for (const { view } of this.#seats.values()) {
      if (view.isOpen() && !view.isBusy() && view.usedAt < before) void view.rest("nobody used it for a while");
    }
  }

  /** Principals that only looked, longest ago. */
  #forget(): void {
    if (this.#seats.size <= MAX_VIEWS) return;
    for (const [owner, { view }] of this.#seats) {
      if (view.isOpen() || view.isBusy()) continue;
      this.#seats.delete(owner);
      return;
    }
  }
}
