/** Finds, reads and checks the configuration, once, before anything else of the host exists. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type Config,
  type Finding,
  formatFinding,
  parseConfig,
  type UnavailableFeature,
  unavailableFeatures,
} from "@bailiwick/contract";
import { ConfigError } from "./config-error.ts";
import { askedWorkDir, findConfig, type FindConfigOptions } from "./find-config.ts";
import { resolvePath } from "./resolve-path.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** Null: there is no file, all is default. */
  readonly file: string | null;
  /** What the file said; null: there is none. */
  readonly text: string | null;
  /** A program gave it; nothing is written anywhere. */
  readonly isGiven: boolean;
  readonly baseDir: string;
  /** Absolute. Not created here. */
  readonly workDir: string;
  readonly warnings: readonly Finding[];
  readonly notes: readonly Finding[];
  /** The host must not start while one of these is blocking. */
  readonly unavailable: readonly UnavailableFeature[];
}

const MAX_FILE_BYTES = 4_194_304;

/** Throws ConfigError. */
export const loadConfig = (options: FindConfigOptions): LoadedConfig => {
  const { file, dialect, baseDir } = findConfig(options);
  const text = file === null ? "{}" : readText(file);
  const { config, errors, warnings, notes } = parseConfig(text, { dialect });
  if (config === null) throw new ConfigError(describe(file ?? "defaults", errors));
  const own = config.workDir === undefined ? null : resolvePath(config.workDir, { baseDir, home: options.home });
  const workDir = askedWorkDir(options) ?? own ?? join(options.home, ".bailiwick");
  return {
    config,
    file,
    text: file === null ? null : text,
    isGiven: false,
    baseDir,
    workDir,
    warnings,
    notes,
    unavailable: unavailableFeatures(config),
  };
};

/** Throws ConfigError when the file asks for a restriction or a store that this host does not have. */
export const refuseUnavailable = ({ file, unavailable }: LoadedConfig): void => {
  const blocking = unavailable.filter((feature) => feature.blocking);
  if (blocking.length > 0) throw new ConfigError(describe(file ?? "defaults", blocking));
};

const describe = (file: string, errors: readonly Finding[]): string => {
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  return [`${file} cannot be used, ${count}:`, ...errors.map(formatFinding)].join("\n");
};

const readText = (file: string): string => {
  let bytes;
  try {
    const { size } = statSync(file);
    if (size > MAX_FILE_BYTES) {
      throw new ConfigError(`${file} has ${size} bytes; a configuration has at most ${MAX_FILE_BYTES}`);
    }
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `${file} cannot be read: ${(error as Error).message}; make it readable or name another with --config`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError(`${file} is not UTF-8; save it in that encoding`);
  }
};
