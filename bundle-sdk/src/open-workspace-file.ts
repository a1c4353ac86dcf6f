/** Opens a path that was resolved in a root, so that no link put in its way since then leads out of the root. */
import { existsSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isInside, type PathFlavour, WorkspaceResolveError, type WorkspaceRoot } from "@bailiwick/contract/roots";
import { diskView } from "./disk-view.ts";
import { openAndCompare } from "./open-and-compare.ts";
import { openInside, type OpenOrder } from "./open-inside.ts";

interface FileOrder extends OpenOrder {
  /** As the caller wrote it. */
  readonly asked: string;
  readonly root: WorkspaceRoot;
  /** What `asked` resolves to now. Throws WorkspaceResolveError. */
  readonly resolve: () => string;
  readonly flavour: PathFlavour;
}

/** A sandbox may have no /proc. */
const CAN_WALK = process.platform === "linux" && existsSync("/proc/self/fd");

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "; there is no such file or folder",
  ENOTDIR: "; a name on the way is no folder, or is a link by now",
  EINVAL: "; it is neither a file nor a folder",
};

/** An error as `open` throws it, without the places that only this process knows. */
const failure = (code: string, asked: string, cause?: unknown): Error => {
  const why = REASONS[code] ?? "";
  return Object.assign(new Error(`${code}: cannot open "${asked}"${why}`, { cause }), { code, path: asked });
};

const outside = (asked: string, root: string | null): WorkspaceResolveError =>
  new WorkspaceResolveError("path_outside_roots", `"${asked}" leads out of its workspace root by a link`, {
    path: asked,
    root,
  });

/** Links that stay in the root are followed here, once; the name at the end need not exist. */
const findRealPlace = (path: string, { asked, root }: FileOrder): string => {
  const real = diskView.realpath(path);
  if (real !== null) return real;
  if (diskView.exists(path)) throw outside(asked, root.name);
  const folder = diskView.realpath(dirname(path));
  if (folder === null) throw failure("ENOENT", asked);
  return join(folder, basename(path));
};

export const openWorkspaceFile = async (order: FileOrder): Promise<FileHandle> => {
  const { asked, root, flavour } = order;
  const find = (): { readonly folder: string; readonly place: string } => {
    const place = findRealPlace(order.resolve(), order);
    const folder = diskView.realpath(root.path);
    if (folder === null) throw failure("ENOENT", asked);
    if (!isInside(folder, place, flavour)) throw outside(asked, root.name);
    return { folder, place };
  };
  try {
    if (!CAN_WALK) return await openAndCompare(asked, () => find().place, order.flags);
    const { folder, place } = find();
    return await openInside(folder, place.slice(folder.length).split("/").filter(Boolean), order);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ELOOP") throw outside(asked, root.name);
    throw code === undefined ? error : failure(code, asked, error);
  }
};
