/** The object that a branch, a tag or a commit's own name stands for. */
import { generationFailed } from "../../generators/generation.ts";
import type { Repository } from "./git-folder.ts";

const REF = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;
const ID = /^[0-9a-f]{40}$/;
const LONG_ID = /^[0-9a-f]{64}$/;
const SHORT_ID = /^[0-9a-f]{4,39}$/;
const HEADS = new Set(["HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD"]);
const MAX_REF_FILE = 4_096;
const MAX_PACKED = 20_000_000;
const MAX_STEPS = 5;

const isRefName = (name: string): boolean =>
  !/[\\\0]/.test(name) &&
  name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.includes("..") && part.length < 256);

/** Where git looks, in its order. */
const placesOf = (ref: string): readonly string[] => {
  const direct = HEADS.has(ref) || ref.startsWith("refs/") ? [ref] : [];
  const below = ["refs", "refs/tags", "refs/heads", "refs/remotes"].map((folder) => `${folder}/${ref}`);
  return [...direct, ...below, `refs/remotes/${ref}/HEAD`];
};

const readRef = async ({ own, common }: Repository, name: string): Promise<string | null> => {
  const folder = HEADS.has(name) ? own : common;
  const text = (await folder.read(name, MAX_REF_FILE))?.toString() ?? null;
  return text === null ? null : (text.split(/\s*\n/, 1)[0] ?? "");
};

const readPacked = async ({ common }: Repository): Promise<ReadonlyMap<string, string>> => {
  const refs = new Map<string, string>();
  for (const line of ((await common.read("packed-refs", MAX_PACKED)) ?? "").toString().split("\n")) {
    if (line[40] === " ") refs.set(line.slice(41), line.slice(0, 40));
  }
  return refs;
};

class RefFinder {
  readonly #repository: Repository;
  #packed: Promise<ReadonlyMap<string, string>> | null = null;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  async find(name: string, steps = 0): Promise<string | null> {
    if (!isRefName(name) || steps > MAX_STEPS) return null;
    const text = await readRef(this.#repository, name);
    if (text === null) {
      this.#packed ??= readPacked(this.#repository);
      return (await this.#packed).get(name) ?? null;
    }
    if (text.startsWith("ref: refs/")) return this.find(text.slice("ref: ".length), steps + 1);
    const [id = ""] = text.split(/\s/, 1);
    if (LONG_ID.test(id))
      throw generationFailed("The repository has SHA-256 names of objects, which are not supported");
    return ID.test(id) ? id : null;
  }
}

/** 40 hex digits. ComposeError where there is no such ref, or it is none. */
export const findRef = async (repository: Repository, ref: string): Promise<string> => {
  if (!REF.test(ref) || !isRefName(ref)) {
    const shown = JSON.stringify(ref.slice(0, 100).toWellFormed());
    throw generationFailed(`${shown} names no commit: write a branch, a tag, HEAD or the 40 digits of a commit`);
  }
  if (ID.test(ref)) return ref;
  const finder = new RefFinder(repository);
  for (const place of placesOf(ref)) {
    const id = await finder.find(place);
    if (id !== null) return id;
  }
  const hint = SHORT_ID.test(ref) ? "; a commit is named by all of its 40 digits" : "";
  throw generationFailed(`The repository has no branch or tag "${ref}"${hint}`);
};
