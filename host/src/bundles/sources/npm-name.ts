/** `npm:<package>[@version]` read strictly: what passes is a package name and an exact version, and never an option, a range, a file or an address. Pure. */
import semver from "semver";
import { refuseSource } from "./refuse-source.ts";

export interface NpmName {
  readonly package: string;
  /** Exact; null: the newest. */
  readonly version: string | null;
}

const PREFIX = "npm:";
const PACKAGE = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]*$/;
const MAX_LENGTH = 214;

export const isNpmName = (name: string): boolean => name.startsWith(PREFIX);

/** `version` is the entry's own. Throws Refusal. */
export const parseNpmName = (name: string, version: string | null): NpmName => {
  const spec = name.slice(PREFIX.length);
  const at = spec.indexOf("@", 1);
  const inName = at === -1 ? null : spec.slice(at + 1);
  if (inName !== null && version !== null && inName !== version) {
    throw refuseSource(
      `The entry asks for ${name.slice(0, 300)} and for version ${version}.`,
      'Write the version once, in "version" or after the name.',
    );
  }
  return checkNpmName({ package: at === -1 ? spec : spec.slice(0, at), version: version ?? inName });
};

export const checkNpmName = (wanted: NpmName): NpmName => {
  const { package: name, version } = wanted;
  if (name.length > MAX_LENGTH || !PACKAGE.test(name)) {
    throw refuseSource(
      `"${name.slice(0, 100)}" is not the name of a package of npm.`,
      'Write "npm:<package>" or "npm:<package>@<exact version>", such as "npm:@acme/echo@1.2.0".',
    );
  }
  if (version !== null && semver.valid(version) !== version) {
    throw refuseSource(
      `"${version.slice(0, 100)}" is not an exact version of ${name}; ranges and tags are refused.`,
      `Write one exact version, such as "npm:${name}@1.2.0", or none for the newest.`,
    );
  }
  return wanted;
};
