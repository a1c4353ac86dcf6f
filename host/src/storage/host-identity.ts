/**
 * The host's id: the configured one, else the one its key is of, else made once and kept in `host.json`. Never taken from a
 * URL, port or machine name.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createPrivateFile } from "./private-file.ts";
import { hostIdOfKeyFile } from "./signing-key-file.ts";

export const readHostId = (dir: string, configured?: string): string => {
  if (configured !== undefined) return configured;
  const signs = hostIdOfKeyFile(dir);
  if (signs !== null) return signs;
  const path = join(dir, "host.json");
  if (existsSync(path)) return readKept(path);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  createPrivateFile(path, `${JSON.stringify({ id: `bailiwick-${randomBytes(4).toString("hex")}` })}\n`);
  return readKept(path);
};

const readKept = (path: string): string => {
  try {
    const kept = JSON.parse(readFileSync(path, "utf8")) as { id?: unknown } | null;
    if (typeof kept?.id === "string" && kept.id !== "") return kept.id;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${path} holds no host id. Restore it, or set host.id in bailiwick.json to the id this host had.`);
};
