/** What a path that somebody asks for says, before any root is looked at: where it starts and which names follow. */
import { descend, splitNames } from "./absolute-path.ts";
import { decodeName } from "./decode-name.ts";
import { findTextFault } from "./find-text-fault.ts";
import { readFileUri } from "./read-file-uri.ts";
import { type PathFlavour, WorkspaceResolveError } from "./roots.ts";

export type AskedPath =
  | { readonly from: "top"; readonly path: string }
  | {
      readonly from: "root" | "here";
      /** Null: the first root. */
      readonly root: string | null;
      /** Null: they climb above where they start. */
      readonly names: readonly string[] | null;
    };

const invalid = (path: string, message: string): WorkspaceResolveError =>
  new WorkspaceResolveError("invalid_path", message, { path });

const DRIVE = /^[A-Za-z]:/u;
const NO_DRIVE = "a drive letter has no place here; write the path below the root";

const readWorkspaceUri = (input: string): AskedPath => {
  const rest = input.slice("workspace:".length);
  if (rest.includes("\\")) throw invalid(input, "a workspace: path has / between its names, not \\");
  const slashes = /^\/*/u.exec(rest)?.[0].length ?? 0;
  if (rest.length === slashes && slashes <= 3) throw invalid(input, "missing a path component");
  if (slashes === 0 || slashes > 3) throw invalid(input, "write workspace://folder/name");
  const names = rest.slice(slashes).split("/").map(decodeName);
  if (!names.every((name) => name !== null)) {
    throw invalid(input, "a %-escape in the path is no character that a name may have; write % as %25");
  }
  // Only a literal @ after // is a root's name: %40 and the third slash say that a folder is meant.
  const named = slashes === 2 && rest.startsWith("@", 2);
  const below = descend(named ? names.slice(1) : names);
  if (below !== null && DRIVE.test(below[0] ?? "")) throw invalid(input, NO_DRIVE);
  return { from: "root", root: named ? (names[0] ?? "").slice(1) : null, names: below };
};

/** `/x` and `\x` too: where they start is not the caller's to say, and the same on each platform. */
const isAbsolute = (path: string): boolean =>
  path.startsWith("/") || path.startsWith("\\") || /^[A-Za-z]:[\\/]/u.test(path);

export const readAskedPath = (input: string, flavour: PathFlavour): AskedPath => {
  const fault = findTextFault(input);
  if (fault !== null) throw invalid(input, fault);
  if (/^workspace:/iu.test(input)) return readWorkspaceUri(input);
  const reading = /^file:/iu.test(input) ? readFileUri(input, flavour) : { path: input };
  if ("reason" in reading) throw invalid(input, reading.reason);
  const { path } = reading;
  if (isAbsolute(path)) return { from: "top", path };
  if (DRIVE.test(path)) throw invalid(input, "a drive letter is followed by \\, as in C:\\folder\\name");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):\/\//u.exec(path)?.[1];
  if (scheme !== undefined) {
    const message = `${scheme}:// names no file of this host; write workspace://folder/name`;
    throw new WorkspaceResolveError("unsupported_scheme", message, { path: input });
  }
  // A \ parts no names on POSIX, and still nothing that looks like climbing out is taken there.
  const climbs = descend(splitNames(path, "win32")) === null;
  return { from: "here", root: null, names: climbs ? null : descend(splitNames(path, flavour)) };
};
