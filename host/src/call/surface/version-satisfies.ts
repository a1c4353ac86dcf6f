/** Whether a version is one that was asked for: exact, `^`, `~`, comparators joined by blanks, `1.x`, `*`. */
import semver from "semver";

const MAX_RANGE = 256;

export const versionSatisfies = (version: string, range: string): boolean =>
  range.length <= MAX_RANGE && semver.satisfies(version, range, { includePrerelease: true });
