/**
 * Calls that a door has out: how many each principal has, and all of them for closing. Behind MCP many people's clients
 * bear one id, so those on whose behalf they act are told apart.
 */
import type { Principal } from "../kernel/principal.ts";
import { principalName } from "../kernel/principal-name.ts";
import { Refusal } from "../kernel/refusal.ts";
import { Roster } from "../kernel/roster.ts";
import { ownerOf } from "./sessions.ts";

const MAX_A_PRINCIPAL = 256;
const RETRY_MS = 1000;

export class InFlight {
  readonly #counts = new Map<string, number>();
  readonly #calls = new Roster<AbortController>();
  #whenIdle: (() => void)[] = [];

  get size(): number {
    return this.#calls.size;
  }

  /** The call's place, for `end`; the refusal when this principal has as many calls out as it may. */
  begin(principal: Principal, call: AbortController): Refusal | number {
    const owner = ownerOf(principal);
    const count = this.#counts.get(owner) ?? 0;
    if (count >= MAX_A_PRINCIPAL) {
      return new Refusal("rate_limited", {
        message: `${principalName(principal)} has ${MAX_A_PRINCIPAL} calls in flight, which is the limit.`,
        next: "Wait until some of them have ended, then repeat this call.",
        details: { limit: MAX_A_PRINCIPAL, used: count, retry_after_s: RETRY_MS / 1000 },
        retryAfterMs: RETRY_MS,
      });
    }
    this.#counts.set(owner, count + 1);
    return this.#calls.add(call);
  }

  end(principal: Principal, place: number): void {
    const owner = ownerOf(principal);
    const count = this.#counts.get(owner) ?? 0;
    if (count > 1) this.#counts.set(owner, count - 1);
    else this.#counts.delete(owner);
    this.#calls.remove(place);
    if (this.#calls.size > 0) return;
    for (const resolve of this.#whenIdle) resolve();
    this.#whenIdle = [];
  }

  /** Resolves when nothing is out. */
  idle(): Promise<void> {
    return this.#calls.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  abortAll(reason: Refusal): void {
    for (const call of this.#calls) call.abort(reason);
  }
}
