/** Where the settings of a workspace come from: the host's own file, or the workspace's over it. */
import {
  formatFinding,
  parseConfig,
  parseWorkspace,
  unavailableFeatures,
  type Config,
  type Finding,
} from "@bailiwick/contract";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Refusal } from "../kernel/refusal.ts";
import { unknownWorkspace } from "../kernel/unknown-workspace.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import type { LoadedConfig } from "./load-config.ts";
import type { ReadSettings, Settings } from "./workspace-room.ts";

export interface OriginOptions {
  readonly loaded: LoadedConfig;
  readonly host: Settings;
  /** The host's configuration as it is now, as other workspaces take it over. */
  readonly shared: () => Config;
  readonly workspaces: Workspaces;
}

export interface SettingsOrigin {
  readonly file: string | null;
  readonly known: string | null;
  readonly baseDir: string;
  readonly settings: Settings;
  readonly parse: (text: string | null) => ReadSettings;
}

/** Also before it is first written. */
export const hostFile = ({ isGiven, file, baseDir }: LoadedConfig): string | null =>
  isGiven ? null : (file ?? join(baseDir, "bailiwick.json"));

export const settingsOrigin = (workspace: string, options: OriginOptions): SettingsOrigin =>
  workspace === DEFAULT_WORKSPACE ? hostOrigin(options) : workspaceOrigin(workspace, options);

const hostOrigin = ({ loaded, host }: OriginOptions): SettingsOrigin => {
  const file = hostFile(loaded);
  const dialect = basename(file ?? "") === "nimblebrain.json" ? "nimblebrain" : "bailiwick";
  return {
    file,
    known: loaded.text,
    baseDir: loaded.baseDir,
    settings: host,
    parse: (text) =>
      text === null && loaded.file !== null ? GONE : refuseBlocking(parseConfig(text ?? "{}", { dialect })),
  };
};

const workspaceOrigin = (workspace: string, { workspaces, shared }: OriginOptions): SettingsOrigin => {
  const found = workspaces.find(workspace);
  if (found === null || found.file === null) throw unknownWorkspace();
  const { file, config, errors: faults } = found;
  if (config === null) throw unusable(file, faults);
  const parse = (text: string | null): ReadSettings => {
    if (text === null) return GONE;
    const host = shared();
    const { workspace: own, errors, warnings } = parseWorkspace(text, host);
    return refuseBlocking({ config: own === null ? null : over(host, own), errors, warnings });
  };
  const text = readText(file);
  const now = parse(text).config;
  // What it said before goes on to hold while it cannot be used.
  const inForce = now ?? over(shared(), config);
  return { file, known: now === null ? null : text, baseDir: dirname(file), settings: { config: inForce }, parse };
};

const readText = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
};

/** A file that was there and is not is no wish to stop everything. */
const GONE: ReadSettings = {
  config: null,
  errors: [{ pointer: "", message: "the file is not there any more; put it back, or stop the host" }],
  warnings: [],
};

/** What this host cannot do yet and must not ignore is an error here as it is at the start. */
const refuseBlocking = (reading: ReadSettings): ReadSettings => {
  const blocking = reading.config === null ? [] : unavailableFeatures(reading.config).filter((each) => each.blocking);
  return blocking.length === 0 ? reading : { ...reading, config: null, errors: [...reading.errors, ...blocking] };
};

const unusable = (file: string, errors: readonly Finding[]): Refusal =>
  new Refusal("not_ready", {
    message: `The workspace cannot be opened: ${file}: ${errors.slice(0, 5).map(formatFinding).join("; ")}.`,
    next: "Correct the file and try again.",
  });

/** A workspace's own where it has a say, the host's in all else. */
type OwnKeys = "bundles" | "noDefaultBundles" | "skillDirs" | "agents" | "identity" | "given";

const over = (host: Config, own: Pick<Config, OwnKeys>): Config => ({
  ...host,
  bundles: own.bundles,
  noDefaultBundles: own.noDefaultBundles,
  skillDirs: own.skillDirs,
  agents: own.agents,
  identity: own.identity ?? host.identity,
  given: own.given,
});
