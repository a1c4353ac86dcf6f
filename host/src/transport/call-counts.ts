/** How the calls of all doors ended, counted as they end. */
import type { Answer } from "../kernel/call.ts";

export class CallCounts {
  readonly outcomes = new Map<string, number>();
  readonly refusals = new Map<string, number>();

  add({ outcome, ending }: Answer): void {
    if (outcome !== null) addTo(this.outcomes, outcome);
    if (ending.kind === "refusal") addTo(this.refusals, ending.refusal.kind);
  }
}

const addTo = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
