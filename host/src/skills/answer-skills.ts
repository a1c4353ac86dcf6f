/** What is answered of the skills on a shelf: an entry, a folder, a file. Each throws Refusal for what is not there. */
import { hash } from "node:crypto";
import { Refusal } from "../kernel/refusal.ts";
import { readBytes } from "./read-bytes.ts";
import type { Skill, SkillFile } from "./skill.ts";
import { SkillDefect, systemReason } from "./skill-defect.ts";
import type { Shelf } from "./skill-library.ts";

export const getSkill = ({ skills }: Shelf, uri: string): { readonly skill: Skill["listed"]["value"] } => {
  const skill = find(skills, uri);
  if (skill === null) throw notHere(uri, "skill");
  return { skill: skill.listed.value };
};

export const readFolder = ({ folders }: Shelf, uri: string): { readonly resources: readonly object[] } => {
  const held = find(folders, uri.replace(/\/$/, ""));
  if (held === null) throw notHere(uri, "folder");
  return { resources: held };
};

/** As it is on disk now, if that is what its skill says. `onChanged` is told when it is not. */
export const readFile = async (
  { files }: Shelf,
  uri: string,
  onChanged: (file: SkillFile) => void,
): Promise<{ readonly contents: readonly object[] }> => {
  const file = find(files, uri);
  if (file === null) throw notHere(uri, "file");
  const bytes = await bytesOf(file);
  if (bytes === null || bytes.length !== file.size || `sha256:${hash("sha256", bytes)}` !== file.digest) {
    onChanged(file);
    throw changed(file);
  }
  const { uri: own, mediaType: mimeType } = file;
  const text = textOf(bytes);
  return {
    contents: [text === null ? { uri: own, mimeType, blob: bytes.toString("base64") } : { uri: own, mimeType, text }],
  };
};

/** Null: it is not there any more, or is not what it was. */
const bytesOf = async ({ at, size }: SkillFile): Promise<Buffer | null> => {
  try {
    return await readBytes(at, size);
  } catch (error) {
    if (error instanceof SkillDefect || systemReason(error) !== null) return null;
    throw error;
  }
};

/** Null: it is no text, or would not come back the same. */
const textOf = (bytes: Buffer): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};

/** A URI may be written in more than one way. */
const find = <T>(shelf: ReadonlyMap<string, T>, uri: string): T | null =>
  shelf.get(uri) ?? shelf.get(URL.parse(uri)?.href ?? uri) ?? null;

const notHere = (uri: string, what: string): Refusal =>
  new Refusal("resource_not_found", {
    message: `There is no ${what} ${JSON.stringify(uri.slice(0, 256))} among the host's skills.`,
    next: "List the skills and use a URI of one of their entries.",
    details: { uri: uri.slice(0, 1_024) },
  });

const changed = ({ uri }: SkillFile): Refusal =>
  new Refusal("skill_digest_mismatch", {
    message: `${JSON.stringify(uri.slice(0, 256))} was changed on disk since its skill was listed, so it is withheld.`,
    next: "List the skills again and read the file by its new entry.",
    details: { uri: uri.slice(0, 1_024) },
    retryable: true,
  });
