/** The health of a bundle to which each principal has a connection of its own, as an operator sees it. Pure but for the clock. */
import type { HeldDefinition } from "../kernel/bundle-admin.ts";
import type { Catalogue, ProviderStatus } from "../kernel/provider.ts";
import { countTools, heldWarnings, judgeHealth, type BundleHealth } from "./bundle-health.ts";
import type { PackageFacts } from "./package-facts.ts";
import type { Pins } from "./pinning/pins.ts";

export interface IsolatedFacts {
  readonly name: string;
  readonly trustScore: number | null;
  readonly pins: Pins;
  /** Nobody's in particular. */
  readonly status: ProviderStatus;
  readonly upSince: number;
  readonly catalogue: Catalogue;
  readonly held: readonly HeldDefinition[];
  readonly facts: PackageFacts | null;
}

export const isolatedHealth = (isolated: IsolatedFacts): BundleHealth => {
  const { name, trustScore, pins, status, upSince, catalogue, held, facts } = isolated;
  const { state, reason, next, since, lastError, restartsInWindow, version } = status;
  const heldTools = countTools(held);
  return {
    name,
    state,
    health: judgeHealth(state, { timeoutsInARow: 0, heldTools }),
    reason,
    next,
    since,
    uptimeMs: state === "running" ? Date.now() - upSince : 0,
    restartsInWindow,
    lastExit: null,
    lastError,
    toolCount: catalogue.tools.length,
    heldTools,
    version,
    trustScore,
    warnings: [...(facts?.warnings ?? []), ...catalogue.defects, ...heldWarnings(name, pins, held)],
  };
};
