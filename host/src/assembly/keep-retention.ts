/** Lets old evidence go, where the configuration says after how many days: at the start and once an hour. */
import type { Config } from "@bailiwick/contract";
import type { OpenEvidenceLog } from "../storage/open-evidence-log.ts";

const EVERY_MS = 3_600_000;

export interface RetentionParts {
  readonly retention: Config["evidence"]["retention"];
  readonly log: Pick<OpenEvidenceLog, "applyRetention">;
  /** Hears of correlations that are gone. */
  readonly purged: (correlationIds: readonly string[]) => void;
  readonly report: (error: unknown) => void;
}

/** Returns the function that ends it. */
export const keepRetention = ({ retention, log, purged, report }: RetentionParts): (() => void) => {
  const { days, holds } = retention;
  if (days === null) return () => {};
  const apply = (): void => void log.applyRetention({ days, holds, now: Date.now(), purged }).catch(report);
  apply();
  const timer = setInterval(apply, EVERY_MS).unref();
  return () => clearInterval(timer);
};
