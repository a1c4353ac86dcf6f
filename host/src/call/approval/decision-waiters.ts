/**
 * Who waits for a decision. Doors hear of every one. Of the calls that wait for the same approval, one alone is woken when it
 * is granted, since it is good for one; the others when that one has used it.
 */
import type { ApprovalState } from "../../kernel/approvals.ts";

/** Beyond it a timer rings at once. Who is woken early waits again. */
const MAX_TIMER_MS = 2_147_483_647;

interface Waiter {
  /** A call that wants to use it. */
  readonly uses: boolean;
  readonly wake: () => void;
}

export class DecisionWaiters {
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** Resolves after a change, `ms`, or on abort. */
  wait(id: string, { ms, signal, uses }: { ms: number; signal: AbortSignal; uses: boolean }): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || ms <= 0) return resolve();
      const waiter: Waiter = {
        uses,
        wake: () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", waiter.wake);
          const others = this.#waiting.get(id);
          others?.delete(waiter);
          if (others?.size === 0) this.#waiting.delete(id);
          resolve();
        },
      };
      const timer = setTimeout(waiter.wake, Math.min(ms, MAX_TIMER_MS));
      signal.addEventListener("abort", waiter.wake, { once: true });
      const others = this.#waiting.get(id);
      if (others) others.add(waiter);
      else this.#waiting.set(id, new Set([waiter]));
    });
  }

  changed(id: string, state: ApprovalState): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || state === "pending") return;
    let isFree = state === "granted";
    for (const waiter of waiting) {
      if (waiter.uses && state === "granted" && !isFree) continue;
      if (waiter.uses) isFree = false;
      waiter.wake();
    }
  }

  /** Something else changed that may let them through. */
  wakeAll(): void {
    for (const waiting of this.#waiting.values()) for (const { wake } of waiting) wake();
  }
}
