/**
 * The ways that people are on between this host and an authorization server. Each is taken once, in time, and only by the
 * browser that set out on it.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Account } from "./account.ts";
import type { AuthorizationFlow } from "./authorization-flow.ts";

export interface PendingFlow {
  readonly provider: string;
  readonly owner: string;
  readonly account: Account;
  readonly flow: AuthorizationFlow;
}

const LIFE_MS = 600_000;
const MAX_PENDING = 256;

interface Entry extends PendingFlow {
  readonly browser: string;
  readonly until: number;
}

export class PendingFlows {
  readonly #entries = new Map<string, Entry>();

  /** What the browser must bring back, beside the state. */
  add(pending: PendingFlow): string {
    const browser = randomBytes(24).toString("base64url");
    this.#entries.set(pending.flow.state(), { ...pending, browser, until: Date.now() + LIFE_MS });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_PENDING && oldest !== undefined) this.#entries.delete(oldest);
    return browser;
  }

  take(state: string | null, browser: string | null): PendingFlow | null {
    const entry = state === null ? undefined : this.#entries.get(state);
    if (entry === undefined || browser === null || !isSame(entry.browser, browser)) return null;
    this.#entries.delete(entry.flow.state());
    return entry.until < Date.now() ? null : entry;
  }
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));
