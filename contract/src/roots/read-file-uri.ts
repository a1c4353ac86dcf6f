/** The absolute path that a `file:` URI names. `?` and `#` are characters like any other, since they are in names too. */
import { decodeName } from "./decode-name.ts";
import type { PathFlavour } from "./roots.ts";

export type PathReading = { readonly path: string } | { readonly reason: string };

const SERVER = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/u;
const ENCODING = "write / between names and every other special character as its UTF-8 bytes, such as %20 for a blank";

/** `/C:/x`, which is how a URI spells `C:\x`. */
const toWindows = (path: string): string => {
  const bare = /^\/[A-Za-z]:/u.test(path) ? path.slice(1) : path;
  return bare.replaceAll("/", "\\");
};

export const readFileUri = (uri: string, flavour: PathFlavour): PathReading => {
  const rest = uri.slice("file:".length);
  if (!rest.startsWith("/")) return { reason: "a file: URI has an absolute path, as in file:///folder/name" };
  const slash = rest.startsWith("//") ? rest.indexOf("/", 2) : 0;
  const server = slash === 0 ? "" : rest.slice(2, slash === -1 ? undefined : slash);
  if (slash === -1) return { reason: "missing a path component" };
  const names = rest.slice(slash).split("/").map(decodeName);
  if (!names.every((name) => name !== null)) return { reason: `the file: URI cannot be decoded; ${ENCODING}` };
  const path = names.join("/");
  if (server === "" || server.toLowerCase() === "localhost") {
    return { path: flavour === "win32" ? toWindows(path) : path };
  }
  if (flavour === "posix") return { reason: "it names another machine; only files of this one can be used" };
  if (!SERVER.test(server)) return { reason: "the part after file:// is no server's name" };
  return { path: `\\\\${server}${path.replaceAll("/", "\\")}` };
};
