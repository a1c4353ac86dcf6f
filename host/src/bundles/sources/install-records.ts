/**
 * What a name was resolved to, one file for each (workspace, name and version asked for, registry): later starts ask nobody,
 * and "newest" stays what it was until a person upgrades. An unreadable record is no record.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeId } from "../../kernel/make-id.ts";
import { isObject } from "../shapes.ts";
import type { NpmStart } from "./registry.ts";
import type { PackageId } from "./package-store.ts";

export interface InstallKey {
  readonly name: string;
  /** As asked for; null: the newest. */
  readonly version: string | null;
  /** Its label. */
  readonly registry: string;
}

export interface InstallRecord {
  readonly package: PackageId;
  /** What the registry calls that version; the package itself may say otherwise. */
  readonly version: string;
  readonly trustScore: number | null;
  readonly certificationLevel: string | null;
  /** For a package of npm: how it is started. */
  readonly npm: NpmStart | null;
  /** For a package of npm: its lock file, which says what it depends on, to the byte. */
  readonly lock: string | null;
}

export interface InstallRecords {
  read(key: InstallKey): Promise<InstallRecord | null>;
  write(key: InstallKey, record: InstallRecord): Promise<void>;
}

export const createInstallRecords = (workDir: string, workspace: string): InstallRecords => {
  const fileOf = ({ name, version, registry }: InstallKey): string => {
    const hash = createHash("sha256").update(JSON.stringify([name, version, registry]));
    return join(workDir, "workspaces", workspace, "sources", `${hash.digest("hex").slice(0, 32)}.json`);
  };
  return {
    async read(key) {
      const text = await readFile(fileOf(key), "utf8").catch(() => null);
      return text === null ? null : parse(text);
    },
    async write(key, record) {
      const text = `${JSON.stringify({ ...key, resolvedAt: new Date().toISOString(), resolved: record }, null, 2)}\n`;
      const file = fileOf(key);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      // A draft for each writer: two starts may resolve one name in the same moment.
      const draft = `${file}.${makeId("")}`;
      await writeFile(draft, text, { mode: 0o600, flush: true });
      await rename(draft, file);
    },
  };
};

const parse = (text: string): InstallRecord | null => {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const record = isObject(value) ? value["resolved"] : null;
  if (!isObject(record) || !isObject(record["package"])) return null;
  const { name, version, digest } = record["package"];
  const told = [name, version, digest, record["version"]].every((each) => typeof each === "string" && each !== "");
  const isWhole = isObject(record["npm"]) === (typeof record["lock"] === "string");
  return told && isWhole ? (record as unknown as InstallRecord) : null;
};
