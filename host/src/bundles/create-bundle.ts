/** One configuration entry, joined to its supervised provider. */
import type { BundleEntry } from "@bailiwick/contract";
import { join } from "node:path";
import type { ExtensionPort } from "../kernel/host-extension.ts";
import { BundleProvider } from "./bundle-provider.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import { claimDataDir } from "./claim-data-dir.ts";
import type { ConnectionLimits } from "./connection.ts";
import { DefinitionsFile } from "./definitions-file.ts";
import { entrySource, hashSource } from "./entry-source.ts";
import { EraVerdicts } from "./era-verdicts.ts";
import { idleReason } from "./idle-reason.ts";
import type { Keeper } from "./keeper.ts";
import type { Locate } from "./located.ts";
import { offeredExtensions } from "./offered-extensions.ts";
import type { Account } from "./oauth/account.ts";
import { openProcess } from "./open-process.ts";
import { openRemote } from "./open-remote.ts";
import type { PackageFacts } from "./package-facts.ts";
import { Pins } from "./pinning/pins.ts";
import { OutputTail } from "./output-tail.ts";
import { Redaction } from "./redaction.ts";
import { checkRemoteNeeds } from "./remote-needs.ts";
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
  readonly pins: Pins;
  /** Where its process keeps what is its own. */
  readonly dataDir: string;
  readonly eras: EraVerdicts;
  /** Whose it is connected with; null: the entry holds the credential itself. */
  readonly account: Account | null;
  readonly onChange: (name: string) => void;
  readonly log: BundlesOptions["log"];
}

const QUEUE = 256;

export const homeOf = ({ bundles }: CreateBundleOptions): string =>
  join(bundles.workDir, "workspaces", bundles.workspace);

export const partsOf = (options: CreateBundleOptions, isolated = false): BundleParts => {
  const { name, entry, bundles } = options;
  const home = homeOf(options);
  return {
    redaction: new Redaction(),
    definitions: new DefinitionsFile({
      file: join(home, "definitions", `${name}.json`),
      source: sourceOf(options),
      isolated,
    }),
    pins: new Pins({
      name,
      file: join(home, "pins", `${name}.json`),
      source: sourceOf(options),
      mode: entry.pinning,
      origin: entry.kind === "url" ? new URL(entry.url).origin : null,
      log: bundles.log,
    }),
    eras: new EraVerdicts(join(home, "eras", `${name}.json`)),
    dataDir: join(home, "data", name),
    account: null,
    onChange: (changed) => bundles.sink.changed(changed),
    log: bundles.log,
  };
};

export const createBundle = (options: CreateBundleOptions, parts: BundleParts = partsOf(options)): BundleProvider => {
  const { name, entry, bundles } = options;
  const { redaction, definitions, pins, eras, onChange, log } = parts;
  const tail = new OutputTail(redaction);
  const isRemote = entry.kind === "url";
  const provider: BundleProvider = new BundleProvider({
    name,
    tail,
    redaction,
    settings: { ...bundles.config.restart, reconnection: isRemote ? entry.transport.reconnection : null },
    idleReason: idleReason(options),
    timing: { ...(isRemote ? REMOTE_TIMING : PROCESS_TIMING), ...bundles.timing },
    open: withRoots(
      openerOf(options, { ...parts, tail, onManifest: (facts) => provider.describe(facts) }),
      bundles.hostRoots,
    ),
    definitions,
    pins,
    eras,
    trustScore: entry.trustScore,
    onChange,
    log,
    report: bundles.report,
  });
  return provider;
};

/** A server that asks for roots beside all calls is told the host's own. */
const withRoots =
  (open: OpenSession, hostRoots: BundlesOptions["hostRoots"]): OpenSession =>
  (events, signal, fetching) =>
    open({ ...events, ...(hostRoots && { hostRoots }) }, signal, fetching);

const sourceOf = ({ entry, bundles }: CreateBundleOptions): string => entrySource(entry, bundles);

/** Its data directory is its own from then on; says where another's data lies now. */
export const dataClaim = (options: CreateBundleOptions) => (): string | null =>
  claimDataDir({ home: homeOf(options), provider: options.name, source: hashSource(sourceOf(options)) });

interface Place extends BundleParts {
  readonly tail: OutputTail;
  readonly onManifest: (facts: PackageFacts) => void;
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
    const parts = { name, entry: resolved, rules: config, redaction, limits, hostVersion, eras, port, account };
    const open = openRemote(parts);
    return closing(port, async (...order) => {
      await checkRemoteNeeds({ home: homeOf(options), url: entry.url }, { name, offered: port.offered });
      return open(...order);
    });
  }
  const open = openProcess({
    name,
    entry: () => resolveEntry(entry, { pointer, bundles, redaction }),
    locate: (order) => locate(entry, order),
    stored: () => bundles.storedValues(name, hashSource(sourceOf(options))),
    claimData: dataClaim(options),
    port,
    profile: config.manifestProfile,
    dataDir: place.dataDir,
    bounds: { workDir: bundles.workDir, baseDir: bundles.baseDir, configFiles: bundles.configFiles },
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
  return closing(port, open);
};

/**
 * What a server was handed is of no use to it once it has gone, or when it never came up. The end of a session that another
 * has followed takes nothing from that one.
 */
const closing = (port: ExtensionPort, open: OpenSession): OpenSession => {
  let newest = 0;
  return async (events, signal, fetching) => {
    const mine = ++newest;
    const close = (): void => {
      if (mine === newest) port.close();
    };
    port.open();
    const session = await open(events, signal, fetching).catch((error: unknown) => {
      close();
      throw error;
    });
    return {
      connection: session.connection,
      end: (how) => {
        close();
        return session.end(how);
      },
    };
  };
};
