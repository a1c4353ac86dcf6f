/** A text file as it is in a commit of the repository that a root has. Nothing of the repository is run. */
import { generationFailed } from "../../generators/generation.ts";
import { isPlainName } from "../plain-name.ts";
import { findRef } from "./find-ref.ts";
import { findRepository, type Repository } from "./git-folder.ts";
import { GitObjects, type GitObject, type GitType } from "./git-objects.ts";

export interface CommittedFile {
  /** The first that has a repository of its own counts. */
  readonly roots: readonly string[];
  readonly ref: string;
  /** From the top of the repository. */
  readonly path: string;
  /** Throws where the file may not be read from the work tree below that root: its past is not open either. */
  readonly allow: (root: string) => void;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Trees and commits too must be readable where only small files are. */
const LEAST_LIMIT = 10_000_000;
const TIME_MS = 5_000;
const MAX_TAGS = 5;
const FOLDER = "40000";
const FILES = new Set(["100644", "100755", "100664"]);
const LINK = "120000";

const broken = (): Error => generationFailed("The repository holds an object that cannot be read");
const show = (text: string): string => JSON.stringify(text.slice(0, 200).toWellFormed());

export const readCommitted = async (file: CommittedFile): Promise<string | null> => {
  const late = AbortSignal.timeout(TIME_MS);
  try {
    return await readFrom({ ...file, signal: AbortSignal.any([file.signal, late]) });
  } catch (error) {
    if (error !== late.reason || !late.aborted) throw error;
    throw generationFailed(`Reading ${show(file.path)} from the repository took longer than ${TIME_MS} ms`);
  }
};

const readFrom = async (file: CommittedFile): Promise<string | null> => {
  const { ref, path, maxBytes, signal } = file;
  if (!isPlainName(path))
    throw generationFailed(`${show(path)} is no path in a repository; write docs/intro.md or the like`);
  const { root, repository } = await firstRepository(file.roots);
  file.allow(root);
  const objects = new GitObjects(repository.common, { maxBytes: Math.max(maxBytes, LEAST_LIMIT), signal });
  const commit = await readCommit(objects, await findRef(repository, ref));
  const id = await walk(objects, commit, path.split("/"));
  if (id === null) return null;
  const { data } = await readAs(objects, id, "blob");
  if (data.length > maxBytes) throw generationFailed(`${show(path)} in "${ref}" has more than ${maxBytes} bytes`);
  return data.toString();
};

const firstRepository = async (
  roots: readonly string[],
): Promise<{ readonly root: string; readonly repository: Repository }> => {
  for (const root of roots) {
    const repository = await findRepository(root);
    if (repository !== null) return { root, repository };
  }
  throw generationFailed("No root is the top folder of a git repository, so there is no commit to read from");
};

const readAs = async (objects: GitObjects, id: string, type: GitType): Promise<GitObject> => {
  const found = await objects.read(id);
  if (found.type !== type) throw broken();
  return found;
};

/** The tree of the commit; a tag may stand before it. */
const readCommit = async (objects: GitObjects, id: string): Promise<string> => {
  let at = await objects.read(id);
  for (let step = 0; at.type === "tag" && step < MAX_TAGS; step++) at = await objects.read(idAfter("object", at));
  if (at.type !== "commit") throw generationFailed(`${id} is no commit of the repository`);
  return idAfter("tree", at);
};

/** Both kinds of object begin with the line. */
const idAfter = (word: string, { data }: GitObject): string => {
  const [, id] = /^[a-z]+ ([0-9a-f]{40})\n/.exec(data.toString("latin1", 0, 64)) ?? [];
  if (id === undefined || !data.toString("latin1", 0, word.length).startsWith(word)) throw broken();
  return id;
};

/** Null: the commit has no such file. */
const walk = async (objects: GitObjects, tree: string, names: readonly string[]): Promise<string | null> => {
  let at = tree;
  for (const [index, name] of names.entries()) {
    const entry = findEntry((await readAs(objects, at, "tree")).data, name);
    if (entry?.mode === LINK) throw generationFailed(`${show(name)} is a link in that commit; name the file itself`);
    const isLast = index === names.length - 1;
    if (entry === null || (isLast ? !FILES.has(entry.mode) : entry.mode !== FOLDER)) return null;
    at = entry.id;
  }
  return at;
};

interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

const findEntry = (tree: Buffer, name: string): TreeEntry | null => {
  const wanted = Buffer.from(name);
  for (let at = 0; at < tree.length;) {
    const blank = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, blank);
    if (blank < 0 || end < 0 || end + 20 > tree.length) throw broken();
    if (wanted.equals(tree.subarray(blank + 1, end)))
      return { mode: tree.toString("latin1", at, blank), id: tree.toString("hex", end + 1, end + 21) };
    at = end + 21;
  }
  return null;
};
