/**
 * Looks at everything a host needs and says of each what is wrong and how to mend it. Changes nothing, starts nothing, and
 * works as well when the configuration cannot be read.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BundleSeen } from "../kernel/bundle-admin.ts";
import { attachHost } from "./attach-host.ts";
import { ConfigError } from "./config-error.ts";
import { checkBundles } from "./doctor/check-bundles.ts";
import { checkCapabilities } from "./doctor/check-capabilities.ts";
import { checkConfig } from "./doctor/check-config.ts";
import { checkEvidence } from "./doctor/check-evidence.ts";
import { checkModel } from "./doctor/check-model.ts";
import { checkNode } from "./doctor/check-node.ts";
import { checkPolicy } from "./doctor/check-policy.ts";
import { checkPort } from "./doctor/check-port.ts";
import { checkRegistries } from "./doctor/check-registries.ts";
import { checkSandbox } from "./doctor/check-sandbox.ts";
import { checkSkillDirs } from "./doctor/check-skill-dirs.ts";
import { checkSkills, type SkillsSeen } from "./doctor/check-skills.ts";
import { checkTokens } from "./doctor/check-tokens.ts";
import { checkWorkDir } from "./doctor/check-work-dir.ts";
import { fail, warn, type Check } from "./doctor/check.ts";
import { readSkills } from "./doctor/read-skills.ts";
import { askedWorkDir, type FindConfigOptions } from "./find-config.ts";
import { loadConfig, type LoadedConfig } from "./load-config.ts";
import { findRunningHost, type RunningHost } from "./running-host.ts";

export type { Check } from "./doctor/check.ts";

export const examine = async (options: FindConfigOptions): Promise<readonly Check[]> => {
  const node = checkNode(process.versions.node);
  const found = tryLoad(options);
  const workDir = found.loaded?.workDir ?? askedWorkDir(options) ?? join(options.home, ".bailiwick");
  const running = await findRunningHost(workDir);
  // A host that runs knows better than a search which file is in force.
  const inForce = options.configFlag === undefined ? (running?.configFile ?? null) : null;
  const { loaded, faults } =
    inForce === null ? found : tryLoad({ ...options, configFlag: inForce, workDirFlag: workDir });
  const state = [...(await checkWorkDir(workDir)), ...(await checkEvidence(workDir, running))];
  if (loaded === null) return [node, ...faults, ...state];
  const { bundles, skills, faults: unheard } = await askRunning(workDir, running);
  return [
    node,
    ...checkConfig(loaded),
    ...checkPolicy(loaded.config.policy),
    ...checkCapabilities({ loaded, env: options.env, home: options.home }),
    ...state,
    ...(await checkPort(loaded.config.http, running)),
    ...(await checkTokens(loaded.config)),
    ...(await checkSandbox(loaded.config, options.env)),
    ...(await checkRegistries(loaded, options.env)),
    await checkModel(loaded, options.env),
    ...unheard,
    ...(await checkBundles({ loaded, env: options.env, running: bundles })),
    ...checkSkillDirs(loaded, options.home),
    ...checkSkills(skills ?? (await readSkills(loaded, options.home)), loaded.config.capabilities),
  ];
};

const tryLoad = (options: FindConfigOptions): { loaded: LoadedConfig | null; faults: readonly Check[] } => {
  try {
    return { loaded: loadConfig(options), faults: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      loaded: null,
      faults: [fail("config", error.message, "Correct the named places; the host does not start before.")],
    };
  }
};

interface RunningSays {
  /** Null: nobody says anything. */
  readonly bundles: readonly BundleSeen[] | null;
  readonly skills: SkillsSeen | null;
  readonly faults: readonly Check[];
}

const askRunning = async (workDir: string, running: RunningHost | null): Promise<RunningSays> => {
  if (running === null) return { bundles: null, skills: null, faults: [] };
  try {
    const key = await readFile(join(workDir, "owner.key"), "utf8").catch(() => null);
    const host = attachHost({ origin: running.origin, key: key?.trim() ?? null });
    const [bundles, skills] = [await host.bundles.list(), await host.skills.list()];
    const warnings = await host.skills.warnings();
    const packages = skills.filter(({ kind }) => kind === "package");
    const notes = skills.filter(({ kind }) => kind === "skill").flatMap(({ diagnostics }) => diagnostics);
    return { bundles, skills: { packages, notes, warnings }, faults: [] };
  } catch (error) {
    const message = `the running host does not say how its bundles and skills are: ${(error as Error).message}`;
    return { bundles: null, skills: null, faults: [warn("host", message, "Restart it: bailiwick serve")] };
  }
};
