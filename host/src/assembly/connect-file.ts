/** The file of an MCP client, as an entry is put into it: whole or not at all, with a backup, readable by its owner alone. */
import { stat } from "node:fs/promises";
import { Refusal } from "../kernel/refusal.ts";
import { putServer, type ServerPut } from "./connect-put.ts";
import { readJsonText } from "./import-json.ts";
import { keepBackup } from "./keep-backup.ts";
import { replaceLinked } from "./replace-linked.ts";
import { unwritten } from "./unwritten.ts";

type Json = Readonly<Record<string, unknown>>;

export interface ClientFile {
  readonly file: string;
  /** Null: there is none yet. */
  readonly text: string | null;
  /** What stands there under our name; null: nothing does. */
  readonly before: unknown;
}

/** Refusal `bad_request` where it cannot be changed with all else left as it is. */
export const readClientFile = async (file: string, { member, name }: Omit<ServerPut, "entry">): Promise<ClientFile> => {
  const found = await readJsonText(file);
  const group = found?.value[member];
  if (group !== undefined && (typeof group !== "object" || group === null || Array.isArray(group))) {
    throw new Refusal("bad_request", {
      message: `"${member}" in ${file} is no object, so nothing was written.`,
      next: "Correct it, or put the entry there by hand: add --print",
    });
  }
  const before = group === undefined ? null : Object.hasOwn(group, name) ? (group as Json)[name] : null;
  return { file, text: found?.text ?? null, before: before ?? null };
};

/** Returns where the backup lies; null: there was no file. */
export const writeClientFile = async ({ file, text }: ClientFile, put: ServerPut): Promise<string | null> => {
  const after = putServer(text, put);
  const now = (await readJsonText(file))?.text ?? null;
  if (after === null || now !== text) {
    throw new Refusal("stale_surface", {
      message: `${file} was changed meanwhile, so nothing was written.`,
      next: "Close the client, and try again.",
    });
  }
  try {
    const backup = await keepBackup(file);
    await replaceLinked(file, after, { keepMode: false });
    return backup;
  } catch (error) {
    throw unwritten(file, error);
  }
};

/** Whether others of this machine could read it before. */
export const isOpenToOthers = async (file: string): Promise<boolean> =>
  ((await stat(file).catch(() => null))?.mode ?? 0) % 0o100 !== 0;
