/**
 * The stored text that answers a request to generate; null: it must be generated. Only the latest counts, so that what a caller
 * was just given is also what assembly takes.
 */
import { isMadeOf, type Freshness, type StoredVersion } from "./stored-version.ts";

/** `versions` are oldest first. */
export const reusableVersion = (versions: readonly StoredVersion[], made: Freshness): StoredVersion | null => {
  const latest = versions.at(-1);
  return latest !== undefined && isMadeOf(latest, made) ? latest : null;
};
