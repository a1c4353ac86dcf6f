/**
 * A package of npm in a folder of ours. First it is resolved to one exact version and integrity hash, then all that it needs
 * to a lock file, and that is installed without running scripts: whoever has the lock file gets the same again.
 */
import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../shapes.ts";
import type { NpmName } from "./npm-name.ts";
import type { PackageId } from "./package-store.ts";
import { refuseSource } from "./refuse-source.ts";
import { runNpm, type NpmOptions } from "./run-npm.ts";

export interface NpmOrder extends NpmOptions {
  readonly signal: AbortSignal;
}

const VIEW_MS = 60_000;
const INSTALL_MS = 10 * 60_000;
const INTEGRITY = /^sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}$/;
const LOCK_FILE = "package-lock.json";
const MAX_LOCK_BYTES = 8 * 1024 * 1024;
const QUIET = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];

export interface LockedNpm {
  readonly id: PackageId;
  /** Text of the lock file: exact versions and hashes of everything it needs. */
  readonly lock: string;
}

/** Finds out which package that is and what it needs. `folder` must be empty; the lock file is left in it. */
export const resolveNpm = async (wanted: NpmName, folder: string, order: NpmOrder): Promise<LockedNpm> => {
  const spec = `${wanted.package}@${wanted.version ?? "latest"}`;
  const args = ["view", "--json", ...QUIET, "--", spec, "name", "version", "dist.integrity"];
  const text = await runNpm(
    args,
    { cwd: folder, what: `view ${spec}`, timeoutMs: VIEW_MS, signal: order.signal },
    order,
  );
  const { name, version, "dist.integrity": digest } = parse(text);
  if (name !== wanted.package || typeof version !== "string" || (wanted.version ?? version) !== version) {
    throw refuseSource(`npm knows no ${spec}.`, "Correct the package's name or version.");
  }
  if (typeof digest !== "string" || !INTEGRITY.test(digest)) {
    throw refuseSource(`${name} ${version} is published without an integrity hash.`, "Use a newer version of it.");
  }
  await writeFile(join(folder, "package.json"), projectOf({ name, version }));
  await install(["install", "--package-lock-only"], { folder, what: `${name}@${version}` }, order);
  const lock = await readLock(folder);
  checkLock(lock, { name, version, digest });
  return { id: { name, version, digest, lock: createHash("sha256").update(lock).digest("hex") }, lock };
};

/** Into `folder`: what the lock file says, and nothing else. */
export const installNpm = async ({ id, lock }: LockedNpm, folder: string, order: NpmOrder): Promise<void> => {
  await writeFile(join(folder, "package.json"), projectOf(id));
  await writeFile(join(folder, LOCK_FILE), lock);
  checkLock(lock, id);
  await install(["ci"], { folder, what: `${id.name}@${id.version}` }, order);
};

type Resolved = Pick<PackageId, "name" | "version" | "digest">;

const projectOf = ({ name, version }: Pick<PackageId, "name" | "version">): string =>
  JSON.stringify({ name: "bundle", private: true, dependencies: { [name]: version } });

const install = async (
  how: readonly string[],
  { folder, what }: { readonly folder: string; readonly what: string },
  order: NpmOrder,
): Promise<void> => {
  const args = [
    ...how,
    "--ignore-scripts",
    ...QUIET,
    "--package-lock",
    "--omit=dev",
    "--location=project",
    "--install-strategy=hoisted",
    `--prefix=${folder}`,
  ];
  const run = { cwd: folder, what: `install ${what}`, timeoutMs: INSTALL_MS, signal: order.signal };
  await runNpm(args, run, order);
};

const readLock = async (folder: string): Promise<string> => {
  const file = join(folder, LOCK_FILE);
  const size = await stat(file).then(
    (facts) => facts.size,
    () => 0,
  );
  if (size <= MAX_LOCK_BYTES) return readFile(file, "utf8").catch(() => "{}");
  throw refuseSource(
    `What the package depends on fills ${size} bytes; the host reads ${MAX_LOCK_BYTES}.`,
    'Install the package yourself and use "path".',
  );
};

const checkLock = (lock: string, id: Resolved): void => {
  const { packages } = parse(lock);
  const locked = isObject(packages) ? packages[`node_modules/${id.name}`] : null;
  const { integrity, version } = isObject(locked) ? locked : {};
  if (integrity === id.digest && version === id.version) return;
  throw refuseSource(
    `npm would install ${id.name} ${String(version)} with the integrity ${String(integrity)}; resolved was ${id.version} with ${id.digest}.`,
    "Try again; if it stays so, find out who changes packages on their way to this machine.",
    { expected: id.digest, actual: integrity ?? null },
  );
};

const parse = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw refuseSource("npm answered with what is no JSON object.", "See that npm works: npm view npm version --json");
};
