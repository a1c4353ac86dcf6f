/** Each configured bundle: what would keep it from starting, and what the running host says of it. Starts nothing. */
import type { BundleEntry } from "@bailiwick/contract";
import { offeredExtensions } from "../../bundles/offered-extensions.ts";
import { entryDirectory } from "../../bundles/entry-directory.ts";
import { readManifest } from "../../bundles/read-manifest.ts";
import { resolveCommand } from "../../bundles/resolve-command.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { ProviderRow } from "../host.ts";
import type { LoadedConfig } from "../load-config.ts";
import { resolveSecrets } from "../resolve-secrets.ts";
import { fail, ok, warn, type Check } from "./check.ts";
import { isProgram } from "../../bundles/is-program.ts";

export interface BundleCheckOptions {
  readonly loaded: LoadedConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the running host says; null when none runs. */
  readonly providers: readonly ProviderRow[] | null;
}

export const checkBundles = async (options: BundleCheckOptions): Promise<readonly Check[]> => {
  const { bundles } = options.loaded.config;
  if (bundles.length === 0) {
    const file = options.loaded.file ?? `${options.loaded.baseDir}/bailiwick.json`;
    return [warn("bundles", "none is configured, so there are no tools.", `Add one to "bundles" in ${file}.`)];
  }
  const checks = await Promise.all(bundles.map((entry, index) => checkEntry(entry, `/bundles/${index}`, options)));
  if (options.providers === null) return checks;
  // What the running host says comes first; beside it only what it does not say itself.
  const said = options.providers.map(checkProvider);
  return [
    ...said,
    ...checks.filter(({ state, message }) => state !== "ok" && !said.some((one) => one.message.endsWith(message))),
  ];
};

const nameOf = (entry: BundleEntry): string => {
  if (entry.kind === "url") return entry.serverName;
  return entry.serverName ?? (entry.kind === "path" ? entry.path : entry.name);
};

const checkEntry = async (entry: BundleEntry, pointer: string, options: BundleCheckOptions): Promise<Check> => {
  const name = `bundle ${nameOf(entry)}`;
  if (!entry.enabled) return ok(name, `switched off ("enabled": false)`);
  try {
    const resolved = resolveSecrets(entry, options.env, pointer);
    if (!resolved.ok) {
      const unset = resolved.unresolved.map(({ message }) => message).join("; ");
      return fail(name, unset, "Set the named variables in the host's environment and start it again.");
    }
    return await checkResolved(name, resolved.entry, options);
  } catch (error) {
    if (error instanceof Refusal) return fail(name, error.message, error.next);
    throw error;
  }
};

const checkResolved = async (name: string, entry: BundleEntry, { loaded, env }: BundleCheckOptions): Promise<Check> => {
  if (entry.kind === "name") return fail(name, "bundles from registries are not available yet.", "Use path or url.");
  if (entry.kind === "url") {
    if (new URL(entry.url).protocol === "https:" || loaded.config.allowInsecureRemotes) return ok(name, entry.url);
    return fail(name, `${entry.url} is not https.`, 'Use https, or set "allowInsecureRemotes": true.');
  }
  const directory = entryDirectory(entry, { baseDir: loaded.baseDir, env });
  const profile = loaded.config.manifestProfile;
  const { manifest, warnings } = await readManifest({
    located: { directory, manifest: null },
    profile,
    offered: offeredExtensions(entry, loaded.config),
  });
  const { command } = resolveCommand({
    manifest,
    directory,
    provider: nameOf(entry),
    userConfig: entry.userConfig,
    platform: process.platform,
    home: env["HOME"] ?? "/",
    path: entry.env["PATH"] ?? env["PATH"] ?? "",
    pythonPath: env["PYTHONPATH"] ?? null,
    nodePath: process.execPath,
    exists: isProgram,
  });
  if (!isProgram(command)) {
    return fail(name, `its program ${command} was not found.`, `Install ${command}, or let PATH name its directory.`);
  }
  if (warnings.length > 0) return warn(name, `${directory}: ${warnings.join("; ")}`, "Correct its manifest.json.");
  return ok(name, `${manifest.name} ${manifest.version} in ${directory}`);
};

const checkProvider = ({ name, status, tools }: ProviderRow): Check => {
  const title = `bundle ${name}`;
  const reason = status.reason ?? status.lastError ?? "no reason is known";
  if (status.state === "running") return ok(title, `running, ${tools === 1 ? "1 tool" : `${tools} tools`}`);
  const next = status.next ?? "Look at what bailiwick serve printed.";
  if (status.state === "dead" || status.state === "refused") return fail(title, `${status.state}: ${reason}`, next);
  if (status.state === "stopped") return ok(title, `stopped: ${reason}`);
  return warn(title, `${status.state}: ${reason}`, next);
};
