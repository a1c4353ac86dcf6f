/** What is wrong with the name of a file in an archive; null: nothing. Pure. */
const MAX_SEGMENT_BYTES = 255;
const MAX_BYTES = 1024;
const MAX_DEPTH = 64;

export const findPathFault = (path: string): string | null => {
  if (path === "") return "it has no name";
  if (/\p{Cc}/u.test(path)) return "its name contains a control character";
  if (path.includes("\\")) return "its name contains a backslash";
  if (path.startsWith("/")) return "its path is absolute";
  if (/^[A-Za-z]:/.test(path)) return "its path begins with a drive letter";
  if (Buffer.byteLength(path) > MAX_BYTES) return `its path is longer than ${MAX_BYTES} bytes`;
  const segments = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
  if (segments.length > MAX_DEPTH) return `it lies deeper than ${MAX_DEPTH} folders`;
  for (const segment of segments) {
    if (segment === "..") return "its path leads out of the folder (..)";
    if (segment === "." || segment === "") return "its path has an empty part";
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      return `a part of its path is longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return null;
};
