/** Where the configuration is: the first place that has a file wins. Reads none. */
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Dialect } from "@bailiwick/contract";
import { ConfigError } from "./config-error.ts";
import { resolvePath } from "./resolve-path.ts";

export interface FindConfigOptions {
  /** `--config` */
  readonly configFlag?: string | undefined;
  /** `--workdir` */
  readonly workDirFlag?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
}

export interface FoundConfig {
  /** Null: the host runs on defaults. */
  readonly file: string | null;
  readonly dialect: Dialect;
  /** What relative paths are relative to; without a file, where one would be written. */
  readonly baseDir: string;
}

/** `--workdir`, else `BAILIWICK_WORK_DIR`, absolute; null when neither is given. */
export const askedWorkDir = ({ workDirFlag, env, cwd, home }: FindConfigOptions): string | null => {
  const asked = workDirFlag || env["BAILIWICK_WORK_DIR"];
  return asked ? resolvePath(asked, { baseDir: cwd, home }) : null;
};

const NAMES: readonly (readonly [string, Dialect])[] = [
  ["bailiwick.json", "bailiwick"],
  ["nimblebrain.json", "nimblebrain"],
];

export const findConfig = (options: FindConfigOptions): FoundConfig => {
  const { configFlag, cwd, home } = options;
  if (configFlag !== undefined) return findNamed(resolve(cwd, configFlag));
  const workDir = askedWorkDir(options);
  const ownDir = join(home, ".bailiwick");
  const places = workDir === null ? [cwd, ownDir] : [workDir, cwd, ownDir];
  for (const place of places) {
    for (const [name, dialect] of NAMES) {
      const file = join(place, name);
      if (isThere(file)) return { file, dialect, baseDir: place };
    }
  }
  return { file: null, dialect: "bailiwick", baseDir: workDir ?? ownDir };
};

const findNamed = (file: string): FoundConfig => {
  if (!isThere(file)) {
    throw new ConfigError(
      `--config ${file}: there is no such file; give the path of a configuration file or leave it out`,
    );
  }
  const dialect = basename(file) === "nimblebrain.json" ? "nimblebrain" : "bailiwick";
  return { file, dialect, baseDir: dirname(file) };
};

/** A file that is there and cannot be looked at is an error: passing it over would start another configuration. */
const isThere = (file: string): boolean => {
  let found;
  try {
    found = statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw new ConfigError(
      `${file} cannot be read: ${(error as Error).message}; make it readable or name another with --config`,
    );
  }
  if (found === undefined) return false;
  if (found.isDirectory()) throw new ConfigError(`${file} is a directory; the configuration is a file`);
  return true;
};
