/** Orders versions by semver; what is no semver comes before all that is. Pure. */
import semver from "semver";

export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [semver.parse(a), semver.parse(b)];
  if (left !== null && right !== null) return semver.compareBuild(left, right);
  if (left === null && right === null) return a < b ? -1 : Number(a > b);
  return left === null ? -1 : 1;
};
