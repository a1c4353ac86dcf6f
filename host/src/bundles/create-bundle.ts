/** One configuration entry, joined to its supervised provider. */
import type { BundleEntry } from "@bailiwick/contract";
import { join } from "node:path";
import { BundleProvider } from "./bundle-provider.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import type { ConnectionLimits } from "./connection.ts";
import { DefinitionsFile } from "./definitions-file.ts";
import { entryDirectory } from "./entry-directory.ts";
import { EraVerdicts } from "./era-verdicts.ts";
import type { Keeper } from "./keeper.ts";
import type { Locate } from "./located.ts";
import { offeredExtensions } from "./offered-extensions.ts";
import type { Account } from "./oauth/account.ts";
import { openProcess } from "./open-process.ts";
import { openRemote } from "./open-remote.ts";
import { OutputTail } from "./output-tail.ts";
import { Redaction } from "./redaction.ts";
import { resolveEntry } from "./resolve-entry.ts";
import type { OpenSession } from "./session.ts";
import { PROCESS_TIMING, REMOTE_TIMING } from "./timing.ts";

export interface CreateBundleOptions {
  readonly name: string;
  readonly entry: BundleEntry;
  readonly pointer: string;
  readonly keeper: Keeper;
  readonly locate: Locate;
  readonly bundles: BundlesOptions;
}

/** What the connections of one entry have in common, where there are several. */
export interface BundleParts {
  readonly redaction: Redaction;
  readonly definitions: DefinitionsFile;
  readonly eras: EraVerdicts;
  /** Whose it is connected with; null: the entry holds the credential itself. */
  readonly account: Account | null;
  readonly onChange: (name: string) => void;
}

const QUEUE = 256;

const homeOf = ({ bundles }: CreateBundleOptions): string => join(bundles.workDir, "workspaces", bundles.workspace);

export const partsOf = (options: CreateBundleOptions, isolated = false): BundleParts => {
  const { name, bundles } = options;
  const home = homeOf(options);
  return {
    redaction: new Redaction(),
    definitions: new DefinitionsFile({
      file: join(home, "definitions", `${name}.json`),
      source: sourceOf(options),
      isolated,
    }),
    eras: new EraVerdicts(join(home, "eras", `${name}.json`)),
    account: null,
    onChange: (changed) => bundles.sink.changed(changed),
  };
};

export const createBundle = (options: CreateBundleOptions, parts: BundleParts = partsOf(options)): BundleProvider => {
  const { name, entry, bundles } = options;
  const { redaction, definitions, eras, onChange } = parts;
  const tail = new OutputTail(redaction);
  const isRemote = entry.kind === "url";
  const provider: BundleProvider = new BundleProvider({
    name,
    tail,
    redaction,
    settings: { ...bundles.config.restart, reconnection: isRemote ? entry.transport.reconnection : null },
    idleReason: entry.enabled ? "the host has not started it yet" : `its entry says "enabled": false`,
    timing: { ...(isRemote ? REMOTE_TIMING : PROCESS_TIMING), ...bundles.timing },
    open: openerOf(options, { ...parts, tail, onManifest: (facts) => provider.describe(facts) }),
    definitions,
    eras,
    trustScore: entry.trustScore,
    onChange,
    log: bundles.log,
    report: bundles.report,
  });
  return provider;
};

const sourceOf = ({ entry, bundles }: CreateBundleOptions): string => {
  if (entry.kind === "url") return `url:${entry.url}`;
  return entry.kind === "path" ? `path:${entryDirectory(entry, bundles)}` : `name:${entry.name}`;
};

interface Place extends BundleParts {
  readonly tail: OutputTail;
  readonly onManifest: (facts: { readonly version: string; readonly warnings: readonly string[] }) => void;
}

const openerOf = (options: CreateBundleOptions, place: Place): OpenSession => {
  const { name, entry, pointer, keeper, locate, bundles } = options;
  const { hostVersion, env, config, workspace } = bundles;
  const port = bundles.extensions.port({ workspace, provider: name }, offeredExtensions(entry, config));
  const { tail, redaction, definitions, eras, account, onManifest } = place;
  const limits: ConnectionLimits = {
    concurrency: entry.concurrency,
    queue: QUEUE,
    timeoutMs: entry.timeoutMs,
    maxTimeoutMs: entry.maxTimeoutMs,
    maxMessageBytes: config.mcp.maxMessageBytes,
    oneAtATime: () => definitions.asks,
  };
  if (entry.kind === "url") {
    const resolved = (): typeof entry => resolveEntry(entry, { pointer, bundles, redaction });
    return openRemote({ name, entry: resolved, rules: config, redaction, limits, hostVersion, eras, port, account });
  }
  return openProcess({
    name,
    entry: () => resolveEntry(entry, { pointer, bundles, redaction }),
    locate: (order) => locate(entry, order),
    stored: () => bundles.storedValues(name),
    port,
    profile: config.manifestProfile,
    dataDir: join(homeOf(options), "data", name),
    workspace,
    limits,
    hostVersion,
    env,
    keeper,
    tail,
    redaction,
    eras,
    onManifest,
  });
};
