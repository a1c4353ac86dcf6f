/** A configured entry as this room runs it: a provider that can be started and stopped, whichever way it is connected. */
import type { Acceptance, HeldDefinition } from "../kernel/bundle-admin.ts";
import type { Provider } from "../kernel/provider.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { BundleHealth } from "./bundle-health.ts";
import type { PackageFacts } from "./package-facts.ts";
import type { StartGate } from "./start-gate.ts";

export interface Bundle extends Provider {
  /** Reads what was known when the host last ran. */
  recall(): Promise<void>;
  /** It comes after another of its name: no start of it begins before `gone`, nor is it stopped before. Never rejects. */
  follow(gone: Promise<void>): void;
  start(gate?: StartGate): void;
  /** Done when nothing of it is left. */
  stop(reason: string): Promise<void>;
  restart(): Promise<void>;
  refuse(refusal: Refusal): void;
  /** Why it is in state `refused`; null: it is not. */
  refusal(): Refusal | null;
  /** Calls that were sent and are not answered. */
  inFlight(): number;
  /** What its package says about itself; null: it has none, or was never started. */
  facts(): PackageFacts | null;
  /** Deletes what is known of it and was accepted; for one that is not installed any more. */
  forget(): Promise<void>;
  health(): BundleHealth;
  /** Definitions that the server now lists and nobody has accepted. */
  held(): readonly HeldDefinition[];
  /**
   * Answers what was accepted. Refusal `not_found` for a tool that is not held, `stale_surface` where the server has changed
   * one since it was looked at.
   */
  accept(yes: Acceptance): readonly HeldDefinition[];
  /** Somebody installs or upgrades it: the next set that it lists is accepted in that act. */
  expectNewSet(): void;
  /** The last lines it wrote, oldest first. */
  output(): readonly string[];
}
