/** Whether the registries answer. One that does not keeps nothing from running that was fetched before. */
import { createSources } from "../../bundles/sources/create-sources.ts";
import type { LoadedConfig } from "../load-config.ts";
import { ok, warn, type Check } from "./check.ts";

export const checkRegistries = async (
  { config, baseDir, workDir }: LoadedConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Check[]> => {
  // Only those who chose registries, or need them, want to wait for their answer.
  const needed = config.given.includes("/registries") || config.bundles.some(({ kind }) => kind === "name");
  if (!needed || config.registries.length === 0) return [];
  const { registries, manifestProfile: profile } = config;
  const sources = createSources({
    workDir,
    baseDir,
    env,
    registries,
    rules: config,
    nodePath: process.execPath,
    profile,
    hostResources: config.hostResources,
    report: () => {},
  });
  const { unreachable } = await sources.search("bailiwick", 1);
  if (unreachable.length === 0) return [ok("registries", `${registries.length} asked, all answer`)];
  return unreachable.map(({ registry, reason }) =>
    warn("registries", `${registry} cannot be asked: ${reason}`, "Correct or remove it in `registries`, or try again."),
  );
};
