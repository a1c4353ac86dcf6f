/** Why a bundle does not run before anybody starts it. Pure. */
import type { BundleEntry } from "@bailiwick/contract";
import type { BundlesOptions } from "./bundles-options.ts";

export interface IdleBundle {
  readonly name: string;
  readonly entry: Pick<BundleEntry, "enabled">;
  readonly bundles: Pick<BundlesOptions, "stopped">;
}

export const idleReason = ({ name, entry, bundles }: IdleBundle): string => {
  if (!entry.enabled) return `its entry says "enabled": false`;
  return bundles.stopped.has(name) ? "somebody stopped it" : "the host has not started it yet";
};
