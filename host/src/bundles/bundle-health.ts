/** The facts about one bundle that health views show. Pure. */
import type { HeldDefinition } from "../kernel/bundle-admin.ts";
import type { ProviderState } from "../kernel/provider.ts";
import type { Lifecycle } from "./lifecycle.ts";

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
  /** When and how its process or connection last ended; null: none has, since the host runs. */
  readonly lastExit: string | null;
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

export const judgeHealth = (
  state: ProviderState,
  { timeoutsInARow, heldTools }: { readonly timeoutsInARow: number; readonly heldTools: number },
): BundleHealth["health"] => {
  if (state !== "running") return "down";
  return timeoutsInARow >= TIMEOUTS_TO_DEGRADED || heldTools > 0 ? "degraded" : "ok";
};

export const countTools = (held: readonly HeldDefinition[]): number => held.filter(({ tool }) => tool !== null).length;

/** What a list of held tools does not say. */
export const heldWarnings = (
  name: string,
  { defect }: { readonly defect: string | null },
  held: readonly HeldDefinition[],
): readonly string[] => {
  const warnings = defect === null ? [] : [defect];
  if (held.some(({ tool }) => tool === null)) {
    warnings.push(`its instructions changed and nobody has accepted that: bailiwick bundle accept ${name}`);
  }
  return warnings;
};

export const describeExit = (exit: Lifecycle["lastExit"]): string | null =>
  exit === null ? null : `${new Date(exit.at).toISOString()}: ${exit.reason}`;
