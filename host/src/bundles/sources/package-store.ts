/**
 * `<workDir>/bundles/<name>/<version>-<first 12 hex of the digest>/`: packages as they were unpacked, for all workspaces; one
 * of npm with as much of its lock file's digest behind that. Beside each folder a file of the same name says the whole of it,
 * because twelve digits can be made to match. A folder appears whole or not at all, and one that processes run from is not
 * exchanged under them unless it is damaged.
 */
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeId } from "../../kernel/make-id.ts";
import { holdsFiles } from "./holds-files.ts";
import { createScratch, type WithScratch } from "./scratch.ts";
import { refuseSource } from "./refuse-source.ts";

export interface PackageId {
  readonly name: string;
  readonly version: string;
  /** `sha256:<hex>`, or the integrity of a package of npm. */
  readonly digest: string;
  /** Hex, of the lock file of a package of npm: what it depends on is not in its digest. Else null. */
  readonly lock: string | null;
}

export interface PackageStore {
  readonly withScratch: WithScratch;
  folderOf(id: PackageId): string;
  has(id: PackageId): Promise<boolean>;
  /** Moves a folder that lies in a scratch folder to its place, where it is not there already. */
  place(id: PackageId, order: { readonly scratch: string; readonly files: string }): Promise<void>;
}

const SHORT = 12;
const MAX_PART = 100;
const MAX_TRIES = 50;

export const createPackageStore = (workDir: string, report: (error: unknown) => void): PackageStore => {
  const home = join(workDir, "bundles");
  const folderOf = ({ name, version, digest, lock }: PackageId): string => {
    const marks = [hexOf(digest), ...(lock === null ? [] : [lock])].map((hex) => hex.slice(0, SHORT));
    return join(home, ...safeName(name), [safePart(version), ...marks].join("-"));
  };
  const noteOf = (id: PackageId): string => `${folderOf(id)}.digest`;
  const noted = async (id: PackageId): Promise<string | null> => {
    const there = await stat(folderOf(id)).catch(() => null);
    return there?.isDirectory() === true ? readFile(noteOf(id), "utf8").catch(() => null) : null;
  };
  return {
    withScratch: createScratch(join(home, ".tmp"), report),
    folderOf,
    has: async (id) => (await noted(id)) === wholeOf(id),
    async place(id, { scratch, files }) {
      const folder = folderOf(id);
      const whole = wholeOf(id);
      const before = await noted(id);
      if (before !== null && before !== whole) throw refuseClash(folder, before, whole);
      await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
      const note = join(scratch, "digest");
      await writeFile(note, whole, { mode: 0o600 });
      await rename(note, noteOf(id));
      for (let tries = 1; !(await moveInto(files, folder, tries)); tries++) {
        if (await holdsFiles(folder, files)) return;
        await rename(folder, join(scratch, makeId("old_"))).catch(unlessMissing);
      }
    },
  };
};

const wholeOf = ({ digest, lock }: PackageId): string => (lock === null ? digest : `${digest} ${lock}`);

/** False: something is there. */
const moveInto = (from: string, to: string, tries: number): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (tries < MAX_TRIES && (error.code === "ENOTEMPTY" || error.code === "EEXIST")) return false;
      throw error;
    },
  );

const unlessMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "ENOENT") throw error;
};

const refuseClash = (folder: string, before: string, now: string): Error =>
  refuseSource(
    `${folder} holds a package with the digest ${before}; the one that came has ${now}. Two packages whose digests begin alike are no accident.`,
    `Find out which of the two is the right one; to take the new one, remove ${folder} first.`,
    { expected: before, actual: now },
  );

/** `@scope/name` keeps its scope as a folder; nothing in it can lead elsewhere. */
const safeName = (name: string): string[] => {
  const [first = "", ...rest] = name.split("/");
  return rest.length === 0 ? [safePart(first)] : [safePart(first), safePart(rest.join("_"))];
};

const safePart = (text: string): string => {
  const safe = text
    .replace(/[^A-Za-z0-9._@+-]/g, "_")
    .replace(/^\.+/, "_")
    .slice(0, MAX_PART);
  return safe === "" ? "_" : safe;
};

const hexOf = (digest: string): string => {
  if (digest.startsWith("sha256:")) return digest.slice("sha256:".length);
  const [first = ""] = digest.split(/\s/);
  return Buffer.from(first.slice(first.indexOf("-") + 1), "base64").toString("hex");
};
