/**
 * The bundles of one workspace: from configuration entries to supervised providers, also while the host runs. One bad entry
 * never stops another; it becomes a provider in state `refused`, with the reason and the next step.
 */
import { nearest, type BundleEntry } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";
import type { BundleHealth } from "./bundle-health.ts";
import type { Bundle } from "./bundle.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import { drainBundle } from "./drain-bundle.ts";
import { entryKey } from "./entry-key.ts";
import { installBundle, type InstallOrder, type Installed } from "./install-bundle.ts";
import { makeBundle, type KeptBundle } from "./make-bundle.ts";
import { nameEntries, type NamedEntry, type NameWish } from "./name-entries.ts";
import { createConnector, type Connector } from "./oauth/create-connector.ts";
import { placedEntries, type PlacedEntry } from "./placed-entries.ts";
import type { StartGate } from "./start-gate.ts";
import { wishName } from "./wish-name.ts";

export interface AppliedEntries {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** All of it in one turn. */
export interface ApplyOrder {
  /** Brings `options.config` up to date; false: there is nothing new. */
  readonly take: () => Promise<boolean>;
  /** Hears what will be done, before any of it. Where it rejects, nothing is. */
  readonly commit: (entries: AppliedEntries) => Promise<void>;
  /** Nothing is done after all: `options.config` is to be as it was. */
  readonly undo: () => void;
}

export interface Bundles {
  /** Resolves when every entry is announced with what is known of it; processes and connections then come up by themselves. */
  start(): Promise<void>;
  /** Resolves when no process of any bundle is left. */
  stop(): Promise<void>;
  /**
   * Brings what runs in line with the entries of `options.config`. Null where there is nothing new. Nothing that stays as it
   * was is disturbed.
   */
  apply(order: ApplyOrder): Promise<AppliedEntries | null>;
  /** Resolves when it runs; a failure leaves nothing of it. */
  install(order: InstallOrder): Promise<Installed>;
  /** `commit` writes it down, and where it fails nothing is removed. Resolves when nothing of it is left but its data. */
  remove(name: string, commit: (removed: KeptBundle) => Promise<void>): Promise<void>;
  /** Does not wait until it runs. What names one bundle throws Refusal `not_found` where there is none. */
  startOne(name: string): Promise<void>;
  /** Resolves when no process of it is left. */
  stopOne(name: string): Promise<void>;
  restartOne(name: string): Promise<void>;
  find(name: string): KeptBundle;
  all(): readonly KeptBundle[];
  status(): readonly BundleHealth[];
  statusOf(name: string): BundleHealth;
  /** The last lines its process wrote, oldest first. */
  output(name: string): readonly string[];
  /** Connects accounts at the servers of those that want one. */
  readonly accounts: Connector;
}

export const createBundles = (options: BundlesOptions): Bundles => {
  const { ground, locate, sink } = options;
  const kept = new Map<string, KeptBundle & { readonly key: string }>();
  let stopping = false;
  /** One change of what there is after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  /** Of those that nobody finds any more. */
  const leaving = new Set<Promise<void>>();

  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const done = turn.then(change);
    turn = done.catch(() => {});
    return done;
  };

  const find = (name: string): KeptBundle => {
    const found = kept.get(name);
    if (found !== undefined) return found;
    const guess = nearest(name, kept.keys(), 2);
    throw new Refusal("not_found", {
      message: `There is no bundle "${name.slice(0, 64)}".`,
      next: guess === null ? "List the bundles with: bailiwick bundle list" : `Did you mean "${guess}"?`,
    });
  };

  const findStartable = (name: string): Bundle => {
    const { bundle, misnamed } = find(name);
    const refusal = misnamed ?? (stopping ? hostStopping() : null);
    if (refusal !== null) throw refusal;
    return bundle;
  };

  const keep = (bundle: KeptBundle): void => {
    kept.set(bundle.name, { ...bundle, key: entryKey(bundle.entry, options.config) });
    sink.add(bundle.bundle);
  };

  /** Calls in flight have a moment to end, unless the host does. */
  const retire = (bundle: Bundle, reason: string): Promise<void> => {
    const gone = drainBundle(bundle, () => stopping)
      .then(() => bundle.stop(reason))
      .catch(options.report);
    leaving.add(gone);
    return gone.finally(() => leaving.delete(gone));
  };

  /** Nobody finds it for new calls. Whoever gets its name later was never stopped by anybody. */
  const drop = async (name: string, reason: string): Promise<void> => {
    const gone = kept.get(name);
    if (gone === undefined) return;
    kept.delete(name);
    sink.remove(name);
    await Promise.all([retire(gone.bundle, reason), options.stopped.clear(name)]);
  };

  /** Its tools stay listed; it starts when nothing of the one before it is left. */
  const exchange = (after: Planned): void => {
    const before = kept.get(after.name);
    keep(after);
    if (before !== undefined) after.bundle.follow(retire(before.bundle, "its entry changed"));
    begin(after, ground.gate);
  };

  const begin = ({ bundle, entry, refusal }: Planned, gate: StartGate): void => {
    if (refusal !== null) bundle.refuse(refusal);
    else if (entry.enabled && !options.stopped.has(bundle.name)) bundle.start(gate);
  };

  /** The name of the bundle that an entry has become already, as it stands; what was refused is asked about anew. */
  const standing = (entry: BundleEntry): string | null => {
    const key = entryKey(entry, options.config);
    for (const [name, before] of kept) {
      const isIt = before.key === key && before.misnamed === null && before.bundle.status().state !== "refused";
      if (isIt) return name;
    }
    return null;
  };

  /** Its package may have changed since it was started: nobody looks into it before its next start. */
  const wish = async ({ entry, pointer }: PlacedEntry): Promise<NameWish> => {
    const name = standing(entry);
    if (name === null) return wishName(entry, { pointer, bundles: options });
    return { pointer, wanted: name, fallback: name, refusal: null };
  };

  const planOne = (
    { entry, pointer }: PlacedEntry,
    { name, refusal }: NamedEntry,
    wished: NameWish,
  ): Planned | Standing => {
    const before = kept.get(name);
    if (before !== undefined && refusal === null && standing(entry) === name) {
      return { name, entry };
    }
    const made = makeBundle({ name, entry, pointer, keeper: ground.keeper, locate, bundles: options });
    // A manifest that could not be read may be corrected before the next start; a name is given once.
    const misnamed = refusal !== null && refusal !== wished.refusal ? refusal : null;
    return { ...made, name, entry, misnamed, refusal };
  };

  /** What the entries would be now. */
  const plan = async (): Promise<readonly (Planned | Standing)[]> => {
    const entries = placedEntries(options.config);
    const wishes = await Promise.all(entries.map(wish));
    const named = nameEntries(wishes);
    return entries.map((placed, at) => planOne(placed, named[at] as NamedEntry, wishes[at] as NameWish));
  };

  const recalled = async (planned: readonly (Planned | Standing)[]): Promise<readonly Planned[]> => {
    const made = planned.filter((each) => "bundle" in each);
    await Promise.all(made.map(({ bundle }) => bundle.recall()));
    return made;
  };

  const prepare = async ({ commit }: ApplyOrder): Promise<Prepared> => {
    const planned = await plan();
    const made = await recalled(planned);
    const names = new Set(planned.map(({ name }) => name));
    const removed = [...kept.keys()].filter((name) => !names.has(name));
    const added = made.filter(({ name }) => !kept.has(name)).map(({ name }) => name);
    const changed = made.filter(({ name }) => kept.has(name)).map(({ name }) => name);
    const entries = { added, removed, changed };
    if (!stopping) await commit(entries);
    if (stopping) throw hostStopping();
    return { planned, made, entries };
  };

  /** What is only shown of an entry may differ. */
  const restate = ({ name, entry, ...more }: Planned | Standing): void => {
    const before = kept.get(name);
    if (before !== undefined && !("bundle" in more)) kept.set(name, { ...before, entry });
  };

  return {
    start: () =>
      inTurn(async () => {
        const made = await recalled(await plan());
        if (stopping) return;
        for (const each of made) {
          keep(each);
          begin(each, ground.gate);
        }
      }),
    async stop() {
      stopping = true;
      await Promise.all([...kept.values()].map(({ bundle }) => bundle.stop("the host is stopping")));
      await turn;
      await Promise.all(leaving);
      await Promise.all([...kept.values()].map(({ bundle }) => bundle.stop("the host is stopping")));
    },
    apply: (order) =>
      inTurn(async () => {
        if (!(await order.take())) return null;
        const { planned, made, entries } = await prepare(order).catch((error: unknown) => {
          order.undo();
          throw error;
        });
        const going = entries.removed.map((name) => drop(name, "its entry was removed"));
        for (const each of planned) restate(each);
        for (const each of made) exchange(each);
        await Promise.all(going);
        return entries;
      }),
    install: (order) =>
      installBundle({
        order,
        bundles: options,
        all: () => [...kept.values()],
        inTurn: (start) =>
          inTurn(async () => {
            if (stopping) throw hostStopping();
            const installed = await start();
            await options.stopped.clear(installed.name);
            keep(installed);
            return installed;
          }),
      }),
    remove: (name, commit) =>
      inTurn(async () => {
        const { bundle, ...removed } = find(name);
        await commit({ bundle, ...removed });
        await drop(name, "it was removed");
        await bundle.forget();
      }),
    async startOne(name) {
      await options.stopped.clear(findStartable(name).name);
      // The host may have begun to stop meanwhile.
      findStartable(name).start();
    },
    async stopOne(name) {
      const { bundle } = find(name);
      await options.stopped.mark(name);
      await bundle.stop("somebody stopped it");
    },
    async restartOne(name) {
      await options.stopped.clear(findStartable(name).name);
      await findStartable(name).restart();
    },
    find,
    all: () => [...kept.values()],
    status: () => [...kept.values()].map(({ bundle }) => bundle.health()),
    statusOf: (name) => find(name).bundle.health(),
    output: (name) => find(name).bundle.output(),
    accounts: createConnector((name) => find(name).connectable),
  };
};

interface Planned extends KeptBundle {
  readonly refusal: Refusal | null;
}

/** It is running already as it stands. */
type Standing = Pick<KeptBundle, "name" | "entry">;

interface Prepared {
  readonly planned: readonly (Planned | Standing)[];
  readonly made: readonly Planned[];
  readonly entries: AppliedEntries;
}

const hostStopping = (): Refusal =>
  new Refusal("not_ready", { message: "The host is stopping.", next: "Start it again: bailiwick serve" });
