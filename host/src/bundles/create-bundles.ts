/**
 * The bundles of one workspace: from configuration entries to supervised providers. One bad entry never stops another; it
 * becomes a provider in state `refused`, with the reason and the next step.
 */
import { nearest } from "@bailiwick/contract";
import { join } from "node:path";
import { Refusal } from "../kernel/refusal.ts";
import type { BundleHealth } from "./bundle-health.ts";
import type { Bundle } from "./bundle.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import { reapChildren } from "./children-file.ts";
import { createBundle } from "./create-bundle.ts";
import { createOAuthBundle } from "./create-oauth-bundle.ts";
import { createKeeper } from "./keeper.ts";
import { nameEntries } from "./name-entries.ts";
import { createConnector, type Connectable, type Connector } from "./oauth/create-connector.ts";
import { createSources } from "./sources/create-sources.ts";
import { createStartGate, type StartGate } from "./start-gate.ts";
import { wishName } from "./wish-name.ts";

export interface Bundles {
  /** Resolves when every entry is announced with what is known of it; processes and connections then come up by themselves. */
  start(): Promise<void>;
  /** Resolves when no process of any bundle is left. */
  stop(): Promise<void>;
  /** Does not wait until it runs. What names one bundle throws Refusal `not_found` where there is none. */
  startOne(name: string): void;
  /** Resolves when no process of it is left. */
  stopOne(name: string): Promise<void>;
  restartOne(name: string): Promise<void>;
  status(): readonly BundleHealth[];
  statusOf(name: string): BundleHealth;
  /** The last lines its process wrote, oldest first. */
  output(name: string): readonly string[];
  /** Connects accounts at the servers of those that want one. */
  readonly accounts: Connector;
}

const AT_ONCE = 8;
const LONGEST_PLACE_MS = 5_000;

export const createBundles = (options: BundlesOptions): Bundles => {
  const entries = options.config.bundles;
  const childrenFile = join(options.workDir, "run", "children");
  const warn = (message: string): void => options.log({ type: "bundle.keeper", name: "", message });
  const keeper = createKeeper({ file: childrenFile, path: options.env["PATH"] ?? "/usr/bin:/bin", warn });
  const { locate } = createSources(options);
  const providers = new Map<string, Bundle>();
  const connectable = new Map<string, Connectable>();
  /** Entries that did not get the name they want; what they are listed under is no name to run with. */
  const misnamed = new Map<string, Refusal>();
  let stopping = false;

  const find = (name: string): Bundle => {
    const provider = providers.get(name);
    if (provider !== undefined) return provider;
    const guess = nearest(name, providers.keys(), 2);
    throw new Refusal("not_found", {
      message: `There is no bundle "${name}".`,
      next: guess === null ? "List the bundles with: bailiwick bundle list" : `Did you mean "${guess}"?`,
    });
  };

  const findStartable = (name: string): Bundle => {
    const provider = find(name);
    const refusal = misnamed.get(name) ?? (stopping ? hostStopping() : null);
    if (refusal !== null) throw refusal;
    return provider;
  };

  const announce = async (gate: StartGate): Promise<void> => {
    const wishes = await Promise.all(
      entries.map((entry, index) => wishName(entry, { pointer: `/bundles/${index}`, bundles: options, locate })),
    );
    const named = nameEntries(wishes);
    const made = entries.map((entry, index) => {
      const { name, refusal } = named[index] ?? { name: `bundle-${index}`, refusal: null };
      const order = { name, pointer: `/bundles/${index}`, keeper, locate, bundles: options };
      const oauth =
        entry.kind === "url" && entry.transport.auth.type === "oauth" ? createOAuthBundle({ ...order, entry }) : null;
      if (oauth !== null) connectable.set(name, oauth);
      const provider = oauth?.bundle ?? createBundle({ ...order, entry });
      // A manifest that could not be read may be corrected before the next start; a name is given once.
      if (refusal !== null && refusal !== wishes[index]?.refusal) misnamed.set(name, refusal);
      return { entry, provider, refusal };
    });
    await Promise.all(made.map(({ provider }) => provider.recall()));
    if (stopping) return;
    for (const { entry, provider, refusal } of made) {
      providers.set(provider.name, provider);
      options.sink.add(provider);
      if (refusal !== null) provider.refuse(refusal);
      else if (entry.enabled) provider.start(gate);
    }
  };

  return {
    async start() {
      // Nothing is spawned while something of an earlier host may still hold its files or ports.
      const reaped = reapChildren(childrenFile).catch((error: Error) =>
        warn(`leftovers were not ended: ${error.message}`),
      );
      const places = createStartGate({ places: AT_ONCE, longestMs: LONGEST_PLACE_MS });
      await announce({ enter: () => reaped.then(() => places.enter()) });
    },
    async stop() {
      stopping = true;
      await Promise.all([...providers.values()].map((provider) => provider.stop("the host is stopping")));
      await keeper.close();
    },
    startOne: (name) => findStartable(name).start(),
    stopOne: (name) => find(name).stop("somebody stopped it"),
    restartOne: (name) => findStartable(name).restart(),
    status: () => [...providers.values()].map((provider) => provider.health()),
    statusOf: (name) => find(name).health(),
    output: (name) => find(name).output(),
    accounts: createConnector((name) => connectable.get(find(name).name) ?? null),
  };
};

const hostStopping = (): Refusal =>
  new Refusal("not_ready", { message: "The host is stopping.", next: "Start it again: bailiwick serve" });
