/** One configuration entry, joined to its supervised provider. */
import type { BundleEntry } from "@bailiwick/contract";
import { join } from "node:path";
import { BundleProvider } from "./bundle-provider.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import type { ConnectionLimits } from "./connection.ts";
import { DefinitionsFile } from "./definitions-file.ts";
import { entryDirectory } from "./entry-directory.ts";
import type { Keeper } from "./keeper.ts";
import { openProcess } from "./open-process.ts";
import { openRemote } from "./open-remote.ts";
import { OutputTail } from "./output-tail.ts";
import { Redaction } from "./redaction.ts";
import { refuseName } from "./refuse-name.ts";
import { resolveEntry } from "./resolve-entry.ts";
import type { OpenSession } from "./session.ts";
import { PROCESS_TIMING, REMOTE_TIMING } from "./timing.ts";

export interface CreateBundleOptions {
  readonly name: string;
  readonly entry: BundleEntry;
  readonly pointer: string;
  readonly keeper: Keeper;
  readonly bundles: BundlesOptions;
}

const WORKSPACE = "ws_default";
const QUEUE = 256;

export const createBundle = (options: CreateBundleOptions): BundleProvider => {
  const { name, entry, bundles } = options;
  const redaction = new Redaction();
  const tail = new OutputTail(redaction);
  const isRemote = entry.kind === "url";
  const home = join(bundles.workDir, "workspaces", WORKSPACE);
  const provider: BundleProvider = new BundleProvider({
    name,
    tail,
    redaction,
    settings: { ...bundles.config.restart, reconnection: isRemote ? entry.transport.reconnection : null },
    idleReason: entry.enabled ? "the host has not started it yet" : `its entry says "enabled": false`,
    timing: { ...(isRemote ? REMOTE_TIMING : PROCESS_TIMING), ...bundles.timing },
    open: openerOf(options, { tail, redaction, home, onManifest: (facts) => provider.describe(facts) }),
    definitions: new DefinitionsFile({ file: join(home, "definitions", `${name}.json`), source: sourceOf(options) }),
    trustScore: entry.trustScore,
    onChange: (changed) => bundles.sink.changed(changed),
    log: bundles.log,
    report: bundles.report,
  });
  return provider;
};

const sourceOf = ({ entry, bundles }: CreateBundleOptions): string => {
  if (entry.kind === "url") return `url:${entry.url}`;
  return entry.kind === "path" ? `path:${entryDirectory(entry, bundles)}` : `name:${entry.name}`;
};

interface Place {
  readonly tail: OutputTail;
  readonly redaction: Redaction;
  /** Directory of the workspace. */
  readonly home: string;
  readonly onManifest: (facts: { readonly version: string; readonly warnings: readonly string[] }) => void;
}

const openerOf = (options: CreateBundleOptions, place: Place): OpenSession => {
  const { name, entry, pointer, keeper, bundles } = options;
  const { hostVersion, env, config } = bundles;
  const { tail, redaction, home, onManifest } = place;
  const limits: ConnectionLimits = {
    concurrency: entry.concurrency,
    queue: QUEUE,
    timeoutMs: entry.timeoutMs,
    maxTimeoutMs: entry.maxTimeoutMs,
    maxMessageBytes: config.mcp.maxMessageBytes,
  };
  if (entry.kind === "name") return () => Promise.reject(refuseName(entry.name));
  if (entry.kind === "url") {
    const resolved = (): typeof entry => resolveEntry(entry, { pointer, bundles, redaction });
    return openRemote({ name, entry: resolved, rules: config, redaction, limits, hostVersion });
  }
  return openProcess({
    name,
    entry: () => resolveEntry(entry, { pointer, bundles, redaction }),
    directory: entryDirectory(entry, bundles),
    profile: config.manifestProfile,
    dataDir: join(home, "data", name),
    workspace: WORKSPACE,
    limits,
    hostVersion,
    env,
    keeper,
    tail,
    redaction,
    onManifest,
  });
};
