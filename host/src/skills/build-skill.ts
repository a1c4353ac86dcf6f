/**
 * Reads a folder once and makes of it what is served: the entry is the one that the protocol's own library makes of these
 * bytes, so that every client finds it right. That library is large, and loaded with the first skill.
 */
import { basename } from "node:path";
import { rawJson } from "../kernel/raw-json.ts";
import type { Folder } from "./find-folders.ts";
import { foldersOf } from "./folders-of.ts";
import type { FoundFile } from "./list-files.ts";
import { mediaTypeOf } from "./media-type-of.ts";
import { readBytes } from "./read-bytes.ts";
import { readSkillName } from "./read-skill-name.ts";
import type { Skill, SkillFile } from "./skill.ts";
import { SkillDefect } from "./skill-defect.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";

const MANIFEST = "SKILL.md";
type Entry = Awaited<ReturnType<typeof import("@modelcontextprotocol/server/ext/skills").skillEntry>>;

/** Throws SkillDefect. */
export const buildSkill = async (folder: Folder, files: readonly FoundFile[]): Promise<Skill> => {
  const manifest = files.find(({ path }) => path === MANIFEST);
  if (manifest === undefined) throw new SkillDefect(`${MANIFEST} is not a file: put one there.`);
  const text = await readBytes(manifest.at, SKILL_LIMITS.manifestBytes);
  const name = await readSkillName(text.toString());
  // A file may have any name, `__proto__` too.
  const bytes = Object.create(null) as Record<string, Uint8Array>;
  let left = SKILL_LIMITS.bytes;
  for (const { path, at } of files) {
    const read = path === MANIFEST ? text : await readBytes(at, left);
    left -= read.length;
    bytes[path] = read;
  }
  return toSkill(folder, files, await entryOf(name, bytes));
};

const entryOf = async (name: string, bytes: Record<string, Uint8Array>): Promise<Entry> => {
  const { skillEntry, SkillCatalogError } = await import("@modelcontextprotocol/server/ext/skills");
  try {
    return await skillEntry(name, bytes);
  } catch (error) {
    if (error instanceof SkillCatalogError) {
      const why = error.problems.map(({ message }) => message).join("; ");
      throw new SkillDefect(`${why.slice(0, 500)}; mend it, since clients would not take it so.`);
    }
    // So it tells of a name that no URI can hold.
    if (!(error instanceof TypeError || error instanceof URIError)) throw error;
    throw new SkillDefect(`${error.message.slice(0, 500)}; rename the file.`);
  }
};

const toSkill = (folder: Folder, found: readonly FoundFile[], entry: Entry): Skill => {
  const root = entry.uri.slice(0, -MANIFEST.length - 1);
  const { name, description } = entry.frontmatter;
  const at = new Map(found.map((file) => [file.path, file.at]));
  const listed = entry.resources === "dynamic" ? [] : entry.resources;
  const files = listed.map(({ uri, size, digest }): SkillFile => {
    const path = uri
      .slice(root.length + 1)
      .split("/")
      .map(decodeURIComponent)
      .join("/");
    const own = basename(path);
    return { uri, name: own, mediaType: mediaTypeOf(own), size, digest, at: at.get(path) ?? "", folder: folder.root };
  });
  const size = files.find(({ uri }) => uri === entry.uri)?.size ?? 0;
  const resource = { uri: entry.uri, name, description, mimeType: mediaTypeOf(MANIFEST), size };
  return {
    name,
    folder: folder.path,
    listed: { uri: entry.uri, value: entry, json: rawJson(JSON.stringify(entry)) },
    resource: { uri: entry.uri, value: resource, json: rawJson(JSON.stringify(resource)) },
    files,
    folders: foldersOf(root, files),
    warnings:
      name === folder.name
        ? []
        : [`${folder.path} is served as ${name}, its name in ${MANIFEST}: give the folder that name.`],
  };
};
