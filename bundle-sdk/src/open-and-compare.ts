/**
 * Opens a file where nothing can be opened relative to a folder's descriptor: by its path, and then looks whether the path still
 * leads to what was opened. Too late for what opening itself does, so it neither makes nor empties a file.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { WorkspaceResolveError } from "@bailiwick/contract/roots";

const { O_CREAT, O_TRUNC } = constants;
/** Windows has none. */
const NO_FOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;

/** `find` gives the real path inside the root, or throws. */
export const openAndCompare = async (asked: string, find: () => string, flags: number): Promise<FileHandle> => {
  if ((flags & (O_CREAT | O_TRUNC)) !== 0) {
    throw new Error(
      `"${asked}": on this system open() neither makes nor empties a file, since a link put in its way could lead it elsewhere; ` +
        `write to the path that resolve() gives, where nobody else changes the folder`,
    );
  }
  const file = await open(find(), flags | NO_FOLLOW);
  try {
    const opened = await file.stat({ bigint: true });
    const found = await lstat(find(), { bigint: true });
    if (opened.dev === found.dev && opened.ino === found.ino) return file;
    throw new WorkspaceResolveError("path_outside_roots", `"${asked}" was changed while it was opened; try again`, {
      path: asked,
    });
  } catch (error) {
    await file.close();
    throw error;
  }
};
