/**
 * Opens a file below a folder, name by name from the folder's own descriptor, and follows no link on the way. Whatever is swapped
 * for a link meanwhile, the file is one below the folder, or none is opened and none is made. Linux alone lets Node do this.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

export interface OpenOrder {
  readonly flags: number;
  readonly mode: number;
}

/** Linux' O_PATH, which Node does not name: a place to go on from, without the right to list what is in there. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The kernel takes this for the open folder itself, wherever its name now leads. */
const placeIn = (folder: FileHandle, name: string): string => `/proc/self/fd/${folder.fd}/${name}`;

/** A pipe would keep a thread waiting for its other end, and a device is no file of the folder. */
const openPlain = async (place: string, { flags, mode }: OpenOrder): Promise<FileHandle> => {
  const file = await open(place, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  try {
    const found = await file.stat();
    if (found.isFile() || found.isDirectory()) return file;
    throw Object.assign(new Error("it is neither a file nor a folder"), { code: "EINVAL" });
  } catch (error) {
    await file.close();
    throw error;
  }
};

/** `folder`: real and absolute. `names`: none of them `..`; without any it is the folder that is opened. */
export const openInside = async (
  folder: string,
  names: readonly string[],
  { flags, mode }: OpenOrder,
): Promise<FileHandle> => {
  let at = await open(folder, FOLDER);
  try {
    for (const name of names.slice(0, -1)) {
      const next = await open(placeIn(at, name), FOLDER);
      const before = at;
      at = next;
      await before.close();
    }
    return await openPlain(placeIn(at, names.at(-1) ?? "."), { flags, mode });
  } finally {
    await at.close();
  }
};
