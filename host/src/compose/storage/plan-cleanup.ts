/** Which versions of one content go. Pure. */
import { ComposeError } from "../compose-error.ts";
import type { StoredVersion } from "./stored-version.ts";

const DAY_MS = 86_400_000;

export interface Retention {
  readonly keep_versions: number;
  /** 0: age keeps nothing. */
  readonly keep_days: number;
  readonly keep_latest: boolean;
}

export interface CleanupRules {
  readonly retention: Retention;
  /** More than 0: only what is older may go. */
  readonly olderThanDays: number;
  readonly now: Date;
}

const DEFAULT_RETENTION: Retention = { keep_versions: 3, keep_days: 7, keep_latest: true };

/** What a caller leaves out is as by default. */
export const readRetention = (given: Partial<Retention> = {}, olderThanDays = 0): Retention => {
  const retention = { ...DEFAULT_RETENTION, ...given };
  const { keep_versions, keep_days } = retention;
  const numbers = { keep_versions, keep_days, older_than_days: olderThanDays };
  for (const [name, value] of Object.entries(numbers)) {
    if (Number.isFinite(value) && value >= 0) continue;
    throw new ComposeError("invalid_retention", `${name} must be 0 or more, not ${value}.`, { [name]: value });
  }
  return retention;
};

/** `versions` are oldest first. */
export const planCleanup = (versions: readonly StoredVersion[], rules: CleanupRules): readonly StoredVersion[] => {
  const { retention, olderThanDays, now } = rules;
  const { keep_versions, keep_days, keep_latest } = retention;
  return versions.filter(({ timestamp }, at) => {
    const rank = versions.length - at;
    const age = now.getTime() - Date.parse(timestamp);
    if (keep_latest && rank === 1) return false;
    if (rank <= keep_versions) return false;
    if (keep_days > 0 && age < keep_days * DAY_MS) return false;
    return olderThanDays === 0 || age > olderThanDays * DAY_MS;
  });
};
