/** What a client's answer to `roots/list` says, cut down to what is kept of it. */
import type { ClientRoots } from "../kernel/roots.ts";
import type { RawJson } from "../kernel/raw-json.ts";
import { isObject, type JsonObject } from "./protocol.ts";

const MAX_ROOTS = 64;
const MAX_URI = 4096;
const MAX_NAME = 256;
/** Of all that is kept of one answer; a session keeps it as long as it lives. */
const MAX_CHARS = 65_536;

type Root = ClientRoots["listed"][number];

/** `result` is an object. Null: it has no list. Entries that are no roots, or too many, are left out, and counted. */
export const clientRootsIn = (result: RawJson, via: ClientRoots["via"]): ClientRoots | null => {
  const { roots } = JSON.parse(result) as JsonObject;
  if (!Array.isArray(roots)) return null;
  const listed: Root[] = [];
  let chars = 0;
  for (const item of roots as readonly unknown[]) {
    if (listed.length === MAX_ROOTS) break;
    const root = rootIn(item);
    if (root === null) continue;
    chars += root.uri.length + (root.name?.length ?? 0);
    // Those after it too: a later root must not come to be the first.
    if (chars > MAX_CHARS) break;
    listed.push(root);
  }
  return { listed, via, ...(roots.length > listed.length && { announced: roots.length }) };
};

const rootIn = (item: unknown): Root | null => {
  if (!isObject(item)) return null;
  const { uri, name = null } = item;
  if (typeof uri !== "string" || uri.length > MAX_URI) return null;
  if (name === null) return { uri, name };
  return typeof name === "string" && name.length <= MAX_NAME ? { uri, name } : null;
};
