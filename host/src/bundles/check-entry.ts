/** The install gate for one entry, without a start: what the entry's own words and its package already forbid. */
import { join } from "node:path";
import { checkEntryUrl } from "./check-entry-url.ts";
import { dataClaim, homeOf, type CreateBundleOptions } from "./create-bundle.ts";
import { entrySource, hashSource } from "./entry-source.ts";
import { offeredExtensions } from "./offered-extensions.ts";
import { packageFacts, type PackageFacts } from "./package-facts.ts";
import { prepareProcess } from "./prepare-process.ts";
import type { Redaction } from "./redaction.ts";
import { checkRemoteNeeds } from "./remote-needs.ts";
import { resolveEntry } from "./resolve-entry.ts";

/** Rejects with the Refusal; null: it is no package. */
export const checkEntry = async (
  options: CreateBundleOptions,
  redaction: Redaction,
  signal: AbortSignal,
): Promise<PackageFacts | null> => {
  const { name, entry: written, pointer, locate, bundles } = options;
  const entry = resolveEntry(written, { pointer, bundles, redaction });
  const { config, workDir, baseDir, configFiles, env } = bundles;
  if (entry.kind === "url") {
    checkEntryUrl(entry.url, { name, rules: config });
    const offered = offeredExtensions(entry, config);
    await checkRemoteNeeds({ home: homeOf(options), url: entry.url }, { name, offered });
    return null;
  }
  redaction.learnNamed(entry.env);
  redaction.learn(entry.allowedEnv.map((variable) => env[variable] ?? ""));
  const { manifest, located, warnings, confined, command } = await prepareProcess(
    entry,
    {
      name,
      locate: (order) => locate(entry, order),
      stored: () => bundles.storedValues(name, hashSource(entrySource(written, bundles))),
      claimData: dataClaim(options),
      offered: offeredExtensions(entry, config),
      profile: config.manifestProfile,
      dataDir: join(homeOf(options), "data", name),
      bounds: { workDir, baseDir, configFiles },
      env,
    },
    signal,
  );
  redaction.learn(command.secrets);
  return packageFacts({
    provider: name,
    manifest,
    located,
    warnings,
    sandbox: confined === null ? "off" : "bwrap",
  });
};
