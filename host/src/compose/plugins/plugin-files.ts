/**
 * The plug-in files that there are: those of all workspaces first, then the workspace's own, each by name. Looked up at once and
 * not in turns: it is done at every read of a list, for some files of a folder that lies beside the database.
 */
import { createHash } from "node:crypto";
import { createReadStream, lstatSync, readdirSync, statSync, type BigIntStats } from "node:fs";
import { join, relative } from "node:path";

export interface PluginFile {
  /** Absolute. */
  readonly path: string;
  /** From the work directory, which no workspace shares. */
  readonly place: string;
  /** In its plug-in folder. */
  readonly name: string;
  readonly folder: string;
  /** What the name says it generates. */
  readonly type: string;
  /** Size, times and identity: another one is another file. */
  readonly signature: string;
  readonly size: number;
}

const FILE_NAME = /^(.+)\.generator\.(?:mjs|js|ts)$/;

export const pluginFolders = (workDir: string, workspace: string): readonly string[] => [
  join(workDir, "plugins", "generators"),
  join(workDir, "workspaces", workspace, "plugins", "generators"),
];

export interface PluginFiles {
  readonly files: readonly PluginFile[];
  /** Folders that cannot be read. */
  readonly unreadable: readonly { readonly place: string; readonly code: string }[];
  /** Names of plug-ins that no file stands behind: folders, devices, links that lead nowhere. */
  readonly odd: readonly string[];
}

export const listPluginFiles = (workDir: string, folders: readonly string[]): PluginFiles => {
  const found = folders.map((folder) => listFolder(workDir, folder));
  return {
    files: found.flatMap(({ files }) => files),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
    odd: found.flatMap(({ odd }) => odd),
  };
};

const listFolder = (workDir: string, folder: string): PluginFiles => {
  try {
    const seen = readdirSync(folder)
      .toSorted()
      .flatMap((name) => seeFile(workDir, folder, name) ?? []);
    return {
      files: seen.filter((each) => typeof each !== "string"),
      unreadable: [],
      odd: seen.filter((each) => typeof each === "string"),
    };
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const isAbsent = code === "ENOENT" || code === "ENOTDIR";
    return { files: [], unreadable: isAbsent ? [] : [{ place: relative(workDir, folder), code }], odd: [] };
  }
};

/** Null: it is none, or gone in the meantime; its name: it is no file. */
const seeFile = (workDir: string, folder: string, name: string): PluginFile | string | null => {
  const type = FILE_NAME.exec(name)?.[1];
  if (type === undefined) return null;
  const path = join(folder, name);
  const facts = statOf(path);
  if (facts?.isFile() !== true) return lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : name;
  const { size, mtimeNs, ctimeNs, ino } = facts;
  const signature = [size, mtimeNs, ctimeNs, ino].join(" ");
  return { path, place: relative(workDir, path), name, folder, type, signature, size: Number(size) };
};

const statOf = (path: string): BigIntStats | null => {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
};

/** SHA-256, hex. */
export const digestFile = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
};
