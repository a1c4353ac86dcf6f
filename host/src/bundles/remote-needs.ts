/**
 * Host extensions that a server elsewhere requires, as its descriptor in a registry said when it was installed. Kept for each
 * address, since a `url` entry has no package that could say it at its next start. A record that cannot be read refuses.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../kernel/refusal.ts";
import { replaceFile } from "../kernel/replace-file.ts";
import { hashSource } from "./entry-source.ts";
import { isObject } from "./shapes.ts";

export interface RemoteNeeds {
  /** Of the workspace. */
  readonly home: string;
  readonly url: string;
}

const fileOf = ({ home, url }: RemoteNeeds): string => join(home, "remote-needs", `${hashSource(url)}.json`);

export const keepRemoteNeeds = async (of: RemoteNeeds, required: readonly string[]): Promise<void> => {
  if (required.length === 0) await rm(fileOf(of), { force: true });
  else await replaceFile(fileOf(of), JSON.stringify({ required }));
};

/** Rejects with the Refusal where it is not offered all that it requires. */
export const checkRemoteNeeds = async (
  of: RemoteNeeds,
  { name, offered }: { readonly name: string; readonly offered: readonly string[] },
): Promise<void> => {
  const required = await read(fileOf(of), name);
  const missing = required.filter((key) => !offered.includes(key));
  if (missing.length === 0) return;
  throw new Refusal("install_refused", {
    message:
      `${name} requires the host extension ${missing.join(", ")}, which this host does not offer to it. ` +
      `Provided: ${offered.length === 0 ? "(none)" : offered.join(", ")}.`,
    next: `If this remote server may read the workspace, set "hostExtensions": ${JSON.stringify(required)} on its entry.`,
    details: { bundle: name, reason: "capability-unavailable", missing, provided: offered, errors: [] },
  });
};

const read = async (file: string, name: string): Promise<readonly string[]> => {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    const required = isObject(value) ? value["required"] : null;
    if (Array.isArray(required) && required.every((key) => typeof key === "string")) return required;
    throw new TypeError("it is damaged");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new Refusal("install_refused", {
      message: `What ${name} requires cannot be read from ${file}: ${message}.`,
      next: `Delete that file, then remove ${name} and install it again.`,
    });
  }
};
