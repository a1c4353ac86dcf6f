/** Each configured bundle: what would keep it from starting, and what the running host says of it. Starts nothing. */
import { stat } from "node:fs/promises";
import type { BundleEntry } from "@bailiwick/contract";
import { offeredExtensions } from "../../bundles/offered-extensions.ts";
import { entryDirectory } from "../../bundles/entry-directory.ts";
import { readManifest } from "../../bundles/read-manifest.ts";
import { resolveCommand } from "../../bundles/resolve-command.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { BundleSeen } from "../../kernel/bundle-admin.ts";
import type { LoadedConfig } from "../load-config.ts";
import { resolveSecrets } from "../resolve-secrets.ts";
import { fail, ok, warn, type Check } from "./check.ts";
import { isProgram } from "../../bundles/is-program.ts";

export interface BundleCheckOptions {
  readonly loaded: LoadedConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the running host says; null when none runs. */
  readonly running: readonly BundleSeen[] | null;
}

export const checkBundles = async (options: BundleCheckOptions): Promise<readonly Check[]> => {
  const { bundles } = options.loaded.config;
  if (bundles.length === 0) {
    const file = options.loaded.file ?? `${options.loaded.baseDir}/bailiwick.json`;
    return [warn("bundles", "none is configured.", `Add one: bailiwick bundle add --help; it is written to ${file}.`)];
  }
  const checks = await Promise.all(bundles.map((entry, index) => checkEntry(entry, `/bundles/${index}`, options)));
  if (options.running === null) return checks;
  // What the running host says comes first; beside it only what it does not say itself.
  const said = options.running.map(checkRunning);
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
  if (entry.kind === "name") return ok(name, "looked for in the registries, and kept, when it first starts");
  if (entry.kind === "url") {
    if (new URL(entry.url).protocol === "https:" || loaded.config.allowInsecureRemotes) return ok(name, entry.url);
    return fail(name, `${entry.url} is not https.`, 'Use https, or set "allowInsecureRemotes": true.');
  }
  const directory = entryDirectory(entry, { baseDir: loaded.baseDir, env });
  if (directory.endsWith(".mcpb")) return checkArchive(name, directory);
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

const checkArchive = async (name: string, file: string): Promise<Check> => {
  const facts = await stat(file).catch(() => null);
  if (facts?.isFile()) return ok(name, `${file}, unpacked when it starts`);
  return fail(
    name,
    `there is no file ${file}.`,
    "Correct the entry's path; it is relative to the config file's directory.",
  );
};

const checkRunning = (bundle: BundleSeen): Check => {
  const { name, status, toolCount, heldTools } = bundle;
  const title = `bundle ${name}`;
  if (heldTools > 0) {
    const held = heldTools === 1 ? "1 definition is held" : `${heldTools} definitions are held`;
    return warn(
      title,
      `${status}: ${held}, changed or new since they were accepted`,
      `bailiwick bundle accept ${name}`,
    );
  }
  const reason = bundle.reason ?? bundle.lastError ?? "no reason is known";
  if (status === "running") return ok(title, `running, ${toolCount === 1 ? "1 tool" : `${toolCount} tools`}`);
  const next = bundle.next ?? "Look at what bailiwick serve printed.";
  if (status === "dead" || status === "refused") return fail(title, `${status}: ${reason}`, next);
  if (status === "stopped") return ok(title, `stopped: ${reason}`);
  return warn(title, `${status}: ${reason}`, next);
};
