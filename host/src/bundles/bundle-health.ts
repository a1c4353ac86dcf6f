/** The facts about one bundle that health views show. Pure. */
import type { ProviderState } from "../kernel/provider.ts";

export interface BundleHealth {
  readonly name: string;
  readonly state: ProviderState;
  readonly health: "ok" | "degraded" | "down";
  /** Why it is not running, and what a person does about it; null while it runs. */
  readonly reason: string | null;
  readonly next: string | null;
  readonly since: number;
  readonly uptimeMs: number;
  readonly restartsInWindow: number;
  readonly lastError: string | null;
  readonly toolCount: number;
  readonly heldTools: number;
  readonly version: string | null;
  readonly trustScore: number | null;
  /** What the manifest or the server's lists have that is not as it should be. */
  readonly warnings: readonly string[];
}

/** After so many calls in a row without an answer in time a running bundle counts as degraded. */
const TIMEOUTS_TO_DEGRADED = 3;

export const judgeHealth = (state: ProviderState, timeoutsInARow: number): BundleHealth["health"] => {
  if (state !== "running") return "down";
  return timeoutsInARow >= TIMEOUTS_TO_DEGRADED ? "degraded" : "ok";
};
