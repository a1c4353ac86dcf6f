/** A configured entry as this room runs it: a provider that can be started and stopped, whichever way it is connected. */
import type { Provider } from "../kernel/provider.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { BundleHealth } from "./bundle-health.ts";
import type { StartGate } from "./start-gate.ts";

export interface Bundle extends Provider {
  /** Reads what was known when the host last ran. */
  recall(): Promise<void>;
  start(gate?: StartGate): void;
  /** Done when nothing of it is left. */
  stop(reason: string): Promise<void>;
  restart(): Promise<void>;
  refuse(refusal: Refusal): void;
  health(): BundleHealth;
  /** The last lines it wrote, oldest first. */
  output(): readonly string[];
}
