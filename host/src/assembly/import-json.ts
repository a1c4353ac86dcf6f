/** One JSON object from a file that somebody else wrote. Never more of it is read than such a file sensibly has. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { Refusal } from "../kernel/refusal.ts";
import { countMembers } from "../kernel/scan-json.ts";

const MAX_BYTES = 33_554_432;
const MAX_DEPTH = 64;

export interface JsonText {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Null: there is no such file. A link is followed. */
export const readJsonText = async (file: string): Promise<JsonText | null> => {
  const text = await readText(file);
  if (text === null) return null;
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const value = parse(json, file);
  if (countMembers(json, MAX_DEPTH) === -1) throw unusable(`${file} nests more than ${MAX_DEPTH} levels deep.`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unusable(`${file} does not hold one JSON object.`);
  }
  return { text: json, value: value as Readonly<Record<string, unknown>> };
};

export const readJsonFile = async (file: string): Promise<JsonText["value"] | null> =>
  (await readJsonText(file))?.value ?? null;

const unusable = (message: string): Refusal =>
  new Refusal("bad_request", { message, next: "Correct the file, or take what is needed of it by hand." });

const parse = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(`${file} is not plain JSON; comments and commas at the end of a list are none.`);
  }
};

/** A named pipe in its place is not waited for. */
const readText = async (file: string): Promise<string | null> => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw unusable(`${file} cannot be read (${error.code ?? error.message}).`);
  });
  if (handle === null) return null;
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw unusable(`${file} is no plain file.`);
    if (facts.size > MAX_BYTES) throw unusable(`${file} has ${facts.size} bytes; at most ${MAX_BYTES} are read.`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await handle.readFile());
  } catch (error) {
    if (error instanceof TypeError) throw unusable(`${file} is not UTF-8.`);
    throw error;
  } finally {
    await handle.close();
  }
};
