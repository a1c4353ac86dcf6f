/** Skills and conversations in a foreign directory: which there are, which can be taken, and which are here already. */
import { lstat, opendir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isConversationId } from "../agent/conversations/conversation-id.ts";
import { MAX_LOG_BYTES } from "../agent/conversations/load-log.ts";
import { readPlainFile } from "../kernel/read-plain-file.ts";
import { checkSkills } from "./check-skill.ts";
import type { FoundFile, ImportPlace } from "./import-step.ts";

const MAX_ENTRIES = 20_000;
const MAX_FILES = 500;
const MAX_FOLDER_BYTES = 20_971_520;
const MAX_DEPTH = 8;
const MAX_HEAD = 65_536;
const LOG = ".jsonl";

/** Null: there is no such directory. */
export const findSkills = async (dir: string, place: ImportPlace): Promise<readonly FoundFile[] | null> => {
  const names = await namesIn(dir);
  if (names === null) return null;
  const isRead =
    (await realpath(dir)) === (await realpath(join(place.home, ".nimblebrain", "skills")).catch(() => null));
  const found: FoundFile[] = [];
  for (const name of names) {
    const skill = await lookAtSkill(dir, name, place.skillsDir);
    if (skill !== null) found.push(isRead && skill.fault === null ? { ...skill, state: "same" } : skill);
  }
  return found;
};

/** Sorted; null: there is no such directory. What begins with a dot is none of it. */
const namesIn = async (dir: string): Promise<readonly string[] | null> => {
  if ((await lstat(dir).catch(() => null))?.isDirectory() !== true) return null;
  const names: string[] = [];
  for await (const { name } of await opendir(dir)) {
    if (!name.startsWith(".")) names.push(name);
    if (names.length >= MAX_ENTRIES) break;
  }
  return names.toSorted();
};

const lookAtSkill = async (dir: string, name: string, to: string): Promise<FoundFile | null> => {
  const path = join(dir, name);
  const facts = await lstat(path);
  const isFolder = facts.isDirectory();
  if (!isFolder && !/\.md$/i.test(name)) return null;
  if (!isFolder && !facts.isFile()) return bad(name, path, "it is a link or no plain file; put the file itself there");
  const main = isFolder ? join(path, "SKILL.md") : path;
  if (isFolder && (await lstat(main).catch(() => null)) === null) return null;
  const files = isFolder ? await filesIn(path) : null;
  if (typeof files === "string") return bad(name, path, files);
  const error = (await checkSkills(path)).flatMap(({ findings }) => findings).find(({ level }) => level === "error");
  if (error !== undefined) return bad(name, path, error.message);
  return {
    name,
    path,
    files,
    fault: null,
    state: await stateOf(main, join(to, name, ...(isFolder ? ["SKILL.md"] : []))),
  };
};

const bad = (name: string, path: string, fault: string): FoundFile => ({
  name,
  path,
  files: null,
  state: "new",
  fault,
});

const stateOf = async (from: string, to: string): Promise<FoundFile["state"]> => {
  const there = await lstat(to).catch(() => null);
  if (there === null) return "new";
  const facts = await lstat(from);
  if (!there.isFile() || there.size !== facts.size) return "other";
  return (await readFile(from)).equals(await readFile(to)) ? "same" : "other";
};

/** Paths with `/`; a text: why the folder cannot be taken. */
const filesIn = async (root: string): Promise<readonly string[] | string> => {
  const files: string[] = [];
  const open: { readonly path: string; readonly depth: number }[] = [{ path: "", depth: 0 }];
  let bytes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > MAX_DEPTH) return `it nests more than ${MAX_DEPTH} folders deep`;
    for (const name of (await namesIn(join(root, next.path))) ?? []) {
      const path = next.path === "" ? name : `${next.path}/${name}`;
      const facts = await lstat(join(root, path));
      if (facts.isDirectory()) open.push({ path, depth: next.depth + 1 });
      else if (!facts.isFile()) return `${path} is a link or no plain file; put the file itself there`;
      else files.push(path);
      bytes += facts.isFile() ? facts.size : 0;
      if (files.length > MAX_FILES || bytes > MAX_FOLDER_BYTES) {
        return `it has more than ${MAX_FILES} files or ${MAX_FOLDER_BYTES} bytes`;
      }
    }
  }
  return files;
};

/** Null: there is no such directory. */
export const findConversations = async (dir: string, to: string | null): Promise<readonly FoundFile[] | null> => {
  const names = await namesIn(dir);
  if (names === null) return null;
  const found: FoundFile[] = [];
  for (const name of names) {
    if (!name.endsWith(LOG)) continue;
    const path = join(dir, name);
    const fault = await logFault(path, name.slice(0, -LOG.length));
    const there = fault !== null || to === null ? null : await lstat(join(to, name)).catch(() => null);
    found.push({ name: name.slice(0, -LOG.length), path, files: null, state: there === null ? "new" : "other", fault });
  }
  return found;
};

const logFault = async (path: string, id: string): Promise<string | null> => {
  if (!isConversationId(id)) return "its name is no id of a conversation, which is conv_ and 6 to 64 of a-z and 0-9";
  const facts = await lstat(path);
  if (!facts.isFile()) return "it is a link or no plain file";
  if (facts.size > MAX_LOG_BYTES) return `it has more than ${MAX_LOG_BYTES} bytes`;
  const head = (await readPlainFile(await realpath(path), MAX_HEAD))?.toString("utf8").split("\n", 1)[0] ?? "";
  try {
    const value: unknown = JSON.parse(head);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? null
      : "its first line is no JSON object";
  } catch {
    return "its first line is no JSON object";
  }
};
