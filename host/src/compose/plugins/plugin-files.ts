/**
 * The plug-in files that there are: those of all workspaces first, then the workspace's own, each by name. Looked up at once and
 * not in turns: it is done at every read of a list, for some files of a folder that lies beside the database.
 */
import { lstatSync, readdirSync, statSync, type BigIntStats } from "node:fs";
import { join, relative } from "node:path";
import { filesBeside, type FilesBeside } from "./files-beside.ts";

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
  /** Size, times and identity, of what stands beside it too: another one is another file. */
  readonly signature: string;
  readonly size: number;
  /** What it may import from its folder. */
  readonly beside: FilesBeside;
}

const FILE_NAME = /^(.+)\.generator\.(?:mjs|js|ts)$/;

/** What a file of this name generates; null: it is no plug-in. */
export const typeOfName = (name: string): string | null => FILE_NAME.exec(name)?.[1] ?? null;

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
    const names = readdirSync(folder).toSorted();
    const isPlugin = (name: string): boolean => typeOfName(name) !== null;
    if (!names.some(isPlugin)) return { files: [], unreadable: [], odd: [] };
    const beside = filesBeside(folder, isPlugin);
    const seen = names.flatMap((name) => seeFile({ workDir, folder, beside }, name) ?? []);
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

interface PluginFolder {
  readonly workDir: string;
  readonly folder: string;
  readonly beside: FilesBeside;
}

/** Null: it is none, or gone in the meantime; its name: it is no file. */
const seeFile = ({ workDir, folder, beside }: PluginFolder, name: string): PluginFile | string | null => {
  const type = typeOfName(name);
  if (type === null) return null;
  const path = join(folder, name);
  const facts = statOf(path);
  if (facts?.isFile() !== true) return lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : name;
  const { size, mtimeNs, ctimeNs, ino } = facts;
  const signature = [size, mtimeNs, ctimeNs, ino, beside.signature].join(" ");
  return { path, place: relative(workDir, path), name, folder, type, signature, size: Number(size), beside };
};

const statOf = (path: string): BigIntStats | null => {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
};
