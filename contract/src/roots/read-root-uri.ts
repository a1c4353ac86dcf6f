/** The folder that a root's URI names, or why it is none that paths can be resolved in. */
import { joinAbsolute, splitAbsolute, splitNames } from "./absolute-path.ts";
import { findNameFault } from "./find-name-fault.ts";
import { findTextFault } from "./find-text-fault.ts";
import { type PathReading, readFileUri } from "./read-file-uri.ts";
import type { PathFlavour } from "./roots.ts";

/** Two letters at least: one is a drive. */
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]+):/u;

export const readRootUri = (uri: string, flavour: PathFlavour): PathReading => {
  const fault = findTextFault(uri);
  if (fault !== null) return { reason: fault };
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "file") {
    return { reason: `a ${scheme}: root names no folder of this machine; only file: roots do` };
  }
  const reading = scheme === "file" ? readFileUri(uri, flavour) : { path: uri };
  if ("reason" in reading) return reading;
  const absolute = splitAbsolute(reading.path, flavour);
  if (absolute === null) {
    const example = flavour === "win32" ? "C:\\projects\\hero" : "/projects/hero";
    return { reason: `it is no absolute path on this machine; write one such as ${example}` };
  }
  if (splitNames(reading.path, flavour).includes("..")) return { reason: "it has a .. in it; name the folder itself" };
  const nameFault = findNameFault(absolute.names, flavour);
  return nameFault === null ? { path: joinAbsolute(absolute, flavour) } : { reason: nameFault };
};
