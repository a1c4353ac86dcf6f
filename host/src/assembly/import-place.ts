/** Where an import goes: the configuration of a workspace and its folders. Refusal `not_found` for a workspace that there is not. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { Refusal } from "../kernel/refusal.ts";
import { expectedBundles } from "./expected-bundles.ts";
import { readJsonFile } from "./import-json.ts";
import type { ImportPlace } from "./import-step.ts";
import type { LoadedConfig } from "./load-config.ts";
import { resolvePath } from "./resolve-path.ts";

export interface PlaceOptions {
  readonly loaded: LoadedConfig;
  readonly workspace: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const MAX_MANIFEST = 1_048_576;

export const findImportPlace = async ({ loaded, workspace, home, env }: PlaceOptions): Promise<ImportPlace> => {
  const isDefault = workspace === DEFAULT_WORKSPACE;
  const folder = join(loaded.workDir, "workspaces", workspace);
  const configFile = isDefault
    ? (loaded.file ?? join(loaded.baseDir, "bailiwick.json"))
    : join(folder, "workspace.json");
  const value = await readJsonFile(configFile);
  if (value === null && !isDefault) throw noWorkspace(workspace, configFile);
  const noDefaults = value?.["noDefaultBundles"] === true;
  return {
    workspace,
    configFile,
    baseDir: dirname(configFile),
    value: value ?? {},
    builtIn: isDefault ? expectedBundles(loaded.config).builtIn : noDefaults ? [] : ["bash"],
    importedDir: join(folder, "imported"),
    skillsDir: join(folder, "skills"),
    conversationsDir: conversationsIn(folder, loaded, isDefault ? home : null),
    home,
    env,
    manifestIn: readManifest,
  };
};

/** `home`: of the user, for the default workspace alone. */
const conversationsIn = (folder: string, { config, baseDir }: LoadedConfig, home: string | null): string | null => {
  const { store } = config;
  if (store?.type === "memory") return null;
  if (home === null || store?.dir === undefined) return join(folder, "conversations");
  return resolvePath(store.dir, { baseDir, home });
};

const readManifest = (directory: string): string | null => {
  try {
    return readFileSync(join(directory, "manifest.json"), "utf8").slice(0, MAX_MANIFEST);
  } catch {
    return null;
  }
};

const noWorkspace = (workspace: string, file: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no workspace ${workspace}.`,
    next: `Leave --workspace out, or make ${file} first.`,
  });
