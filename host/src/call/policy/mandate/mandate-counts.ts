/**
 * How often each mandate with a cap was used, over restarts. A call counts against every capped mandate of its chain, so that
 * no child gets more than its parent has. Every call that begins has an invocation id of its own, because a repeat of one is
 * answered before policy is asked.
 */
import { hash } from "node:crypto";
import type { Admission, Taken } from "../../../kernel/admission.ts";
import type { HostState, StateWrite } from "../../../kernel/evidence.ts";
import { Refusal } from "../../../kernel/refusal.ts";
import type { MandateLink } from "./read-mandate.ts";

const SPACE = "mandate";
const MAX_COUNTS = 10_000;
const SWEEP_MS = 60_000;
/** Removals that one commit carries. */
const MAX_REMOVED = 32;

interface Count {
  used: number;
  /** Ms since the epoch; nobody can use it from then on. */
  until: number;
}

type Capped = MandateLink & { readonly maxInvocations: number };

const isCapped = (link: MandateLink): link is Capped => link.maxInvocations !== null;

/** By its principal's key too: an id is whatever its writer chose. */
const keyOf = ({ id, principal }: MandateLink): string => hash("sha256", `${principal.publicKey}\0${id}`);

export class MandateCounts {
  readonly #counts = new Map<string, Count>();
  readonly #now: () => number;
  readonly #max: number;
  #removed: string[] = [];
  #sweptAt: number;

  constructor(state: Pick<HostState, "entries">, now: () => number, max = MAX_COUNTS) {
    this.#now = now;
    this.#max = max;
    this.#sweptAt = now();
    for (const [key, value] of state.entries(SPACE)) {
      const { used, until } = JSON.parse(value) as Count;
      this.#counts.set(key, { used, until });
    }
    this.#sweep();
  }

  /** What admits a call under these mandates; null: none of them has a cap. Throws the Refusal if there is nothing left now. */
  admit(links: readonly MandateLink[]): Admission | null {
    const capped = links.filter(isCapped);
    if (capped.length === 0) return null;
    if (this.#now() - this.#sweptAt >= SWEEP_MS) this.#sweep();
    this.#check(capped);
    return { take: () => this.#take(capped) };
  }

  #check(capped: readonly Capped[]): void {
    for (const link of capped) {
      const count = this.#counts.get(keyOf(link));
      if (count === undefined && this.#counts.size >= this.#max) throw tooMany(this.#max);
      if (count !== undefined && count.used >= link.maxInvocations) throw exhausted(link, count.used);
    }
  }

  #take(capped: readonly Capped[]): Taken {
    this.#check(capped);
    const taken: Count[] = [];
    const writes: StateWrite[] = this.#removals();
    for (const link of capped) {
      const key = keyOf(link);
      const count = this.#counts.get(key) ?? { used: 0, until: 0 };
      count.used++;
      count.until = Math.max(count.until, link.validUntil);
      this.#counts.set(key, count);
      taken.push(count);
      writes.push({ space: SPACE, key, value: JSON.stringify(count) });
    }
    return {
      writes,
      release: () => {
        for (const count of taken) count.used--;
      },
    };
  }

  #sweep(): void {
    this.#sweptAt = this.#now();
    for (const [key, { until }] of this.#counts) {
      if (until > this.#sweptAt) continue;
      this.#counts.delete(key);
      this.#removed.push(key);
    }
  }

  /** What ended goes with the next commit; of what is lost with a failed one, the next start finds it again. */
  #removals(): StateWrite[] {
    if (this.#removed.length === 0) return [];
    const keys = this.#removed.splice(0, MAX_REMOVED).filter((key) => !this.#counts.has(key));
    return keys.map((key) => ({ space: SPACE, key, value: null }));
  }
}

const exhausted = ({ id, maxInvocations }: Capped, used: number): Refusal =>
  new Refusal("mandate_exhausted", {
    message: `The mandate ${id} was for ${maxInvocations} ${maxInvocations === 1 ? "call" : "calls"}, and all were made.`,
    next: "Ask its principal for a new mandate.",
    details: { mandate_id: id, used, max_invocations: maxInvocations },
  });

const tooMany = (max: number): Refusal =>
  new Refusal("rate_limited", {
    message: `This host counts the calls of ${max} mandates already, and cannot count those of one more.`,
    next: "Use a mandate without max_invocations, or one that was used here before; the oldest are dropped when they end.",
    details: { limit: max, used: max },
  });
