/**
 * The host for programs: `createHost(config)` with the configuration as an object or as the path of its file. No listener
 * unless `listen` is called.
 */
import { homedir } from "node:os";
import { parseConfig, formatFinding, unavailableFeatures } from "@bailiwick/contract";
import { ConfigError } from "./config-error.ts";
import { createHost as assembleHost } from "./create-host.ts";
import type { Host } from "./host.ts";
import { loadConfig, refuseUnavailable, type LoadedConfig } from "./load-config.ts";
import { resolvePath } from "./resolve-path.ts";

/** The JSON of a configuration file; paths in it are relative to the working directory. */
export type ConfigObject = Readonly<Record<string, unknown>>;

const readObject = (object: ConfigObject): LoadedConfig => {
  const text = JSON.stringify(object);
  const { config, errors, warnings, notes } = parseConfig(text, { dialect: "bailiwick" });
  if (config === null)
    throw new ConfigError(["This configuration cannot be used:", ...errors.map(formatFinding)].join("\n"));
  const place = { baseDir: process.cwd(), home: homedir() };
  return {
    config,
    file: null,
    text,
    isGiven: true,
    baseDir: place.baseDir,
    workDir: resolvePath(config.workDir ?? "~/.bailiwick", place),
    warnings,
    notes,
    unavailable: unavailableFeatures(config),
  };
};

export const createHost = async (config: string | ConfigObject): Promise<Host> => {
  const { env } = process;
  const loaded =
    typeof config === "string"
      ? loadConfig({ configFlag: config, env, cwd: process.cwd(), home: homedir() })
      : readObject(config);
  refuseUnavailable(loaded);
  return assembleHost({ loaded, env, inMemory: true });
};
