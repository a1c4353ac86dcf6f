/** The status of a provider that is part of the host: it runs as long as the host does. */
import type { ProviderStatus } from "./provider.ts";

export const runningStatus = (version: string, since: number): ProviderStatus => ({
  state: "running",
  reason: null,
  next: null,
  since,
  retryAfterMs: null,
  version,
  restartsInWindow: 0,
  lastError: null,
});
