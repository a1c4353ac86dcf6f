/**
 * Installs one entry: finds its package, passes the gate, starts it, waits until it runs and has it written down. Whatever
 * fails leaves neither process nor provider.
 */
import type { BundleEntry } from "@bailiwick/contract";
import { setTimeout as sleep } from "node:timers/promises";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import { BASH_NAME, locateBash } from "./bash/locate-bash.ts";
import type { Bundle } from "./bundle.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import type { Located, LocateOrder, LocateProgress } from "./located.ts";
import { makeBundle, type KeptBundle } from "./make-bundle.ts";
import { nameEntries, type NamedEntry } from "./name-entries.ts";
import type { StartGate } from "./start-gate.ts";
import { wishName } from "./wish-name.ts";

export interface InstallOrder {
  readonly entry: BundleEntry;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LocateProgress) => void;
  /** Writes it down, once it runs and before anybody finds it. Where that fails it is not installed. */
  readonly commit: (installed: Installed) => Promise<void>;
}

export interface Installed extends KeptBundle {
  /** Null for a server elsewhere. */
  readonly located: Located | null;
}

export interface InstallOptions {
  readonly order: InstallOrder;
  readonly bundles: BundlesOptions;
  /** Those that are there now. */
  readonly all: () => readonly KeptBundle[];
  /** Fetching takes its time and disturbs nobody; what follows is one change among others. */
  readonly inTurn: (start: () => Promise<Installed>) => Promise<Installed>;
}

const LOOK_EVERY_MS = 25;
/** Longer than a start may take, so that the bundle itself says how it ended. */
const PATIENCE_MS = 45_000;
const POINTER = "the new entry";

export const installBundle = async ({ order, bundles, all, inTurn }: InstallOptions): Promise<Installed> => {
  const { entry } = order;
  const early = await nameOf(entry, bundles);
  if (early.refusal === null) refuseTaken(early.name, entry, all());
  // What another entry was resolved to is not resolved anew behind its back.
  const isKnown = all().some((holder) => sourceOf(holder.entry) === sourceOf(entry));
  const located = await findPackage(order, bundles, isKnown ? false : "newest");
  return inTurn(async () => {
    const { name, refusal } = await nameOf(entry, bundles);
    if (refusal !== null) throw refusal;
    refuseTaken(name, entry, all());
    if (bundles.isPackage?.(name)) throw packageHas(name);
    return start({ name, located, order, bundles });
  });
};

const nameOf = async (entry: BundleEntry, bundles: BundlesOptions): Promise<NamedEntry> => {
  const wish = await wishName(entry, { pointer: POINTER, bundles });
  const [named] = nameEntries([wish]);
  if (named === undefined) throw new HostError("an entry got no name");
  return named;
};

interface StartOptions extends Pick<InstallOptions, "order" | "bundles"> {
  readonly name: string;
  readonly located: Located | null;
}

const start = async ({ name, located, order, bundles }: StartOptions): Promise<Installed> => {
  const { entry, signal, onProgress } = order;
  const { locate } = bundles;
  const made = makeBundle({ name, entry, pointer: POINTER, keeper: bundles.ground.keeper, locate, bundles });
  await made.bundle.recall();
  // What it lists now is what the person who installs it sees and accepts.
  made.bundle.expectNewSet();
  onProgress({ message: `starting ${name}` });
  const installed: Installed = { ...made, name, entry, located, misnamed: null };
  try {
    await comeUp(made.bundle, bundles.ground.gate, signal);
    await order.commit(installed);
  } catch (error) {
    await made.bundle.stop("it could not be installed");
    await made.bundle.forget();
    throw error;
  }
  return installed;
};

const findPackage = async (
  { entry, signal, onProgress }: InstallOrder,
  bundles: BundlesOptions,
  fresh: LocateOrder["fresh"],
): Promise<Located | null> => {
  if (entry.kind === "url") return null;
  if (entry.kind === "name" && entry.name === BASH_NAME) return locateBash(bundles.hostVersion);
  return bundles.locate(entry, { fresh, signal, onProgress });
};

const packageHas = (name: string): Refusal =>
  new Refusal("name_taken", {
    message: `The skill package ${name} has this name, and its tools are called by it.`,
    next: 'Install it under another name: set "serverName" (bailiwick bundle add --name <name>).',
    details: { name },
  });

const refuseTaken = (name: string, entry: BundleEntry, kept: readonly KeptBundle[]): void => {
  const holder = kept.find((each) => each.name === name);
  if (holder === undefined) return;
  if (sourceOf(holder.entry) === sourceOf(entry)) {
    throw new Refusal("already_installed", {
      message: `${name} is installed already.`,
      next: `See it: bailiwick bundle inspect ${name}. To install it anew, remove it first: bailiwick bundle remove ${name}`,
      details: { name },
    });
  }
  throw new Refusal("name_taken", {
    message: `${sourceOf(entry)} cannot be called "${name}": ${sourceOf(holder.entry)} is called so already.`,
    next: `Give this one another name: --server-name <name> ("serverName" of its entry).`,
    details: { name },
  });
};

const sourceOf = (entry: BundleEntry): string => {
  if (entry.kind === "url") return entry.url;
  return entry.kind === "path" ? entry.path : entry.name;
};

const comeUp = async (bundle: Bundle, gate: StartGate, signal: AbortSignal): Promise<void> => {
  bundle.start(gate);
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    signal.throwIfAborted();
    const refusal = bundle.refusal();
    if (refusal !== null && refusal.kind !== "needs_auth") throw refusal;
    const { state, restartsInWindow, lastError } = bundle.health();
    // One that waits for somebody's account is there; whoever sees it is told where to connect one.
    if (state === "running" || state === "refused") return;
    if (restartsInWindow > 0 || state === "dead" || state === "stopped" || Date.now() > end) {
      throw new Refusal("not_ready", {
        message: `${bundle.name} was not installed: it did not come up: ${lastError ?? `it is ${state}`}.`,
        next: "Mend what the reason says and install it again.",
        details: { bundle: bundle.name, state, lastOutput: bundle.output().slice(-20) },
      });
    }
    await sleep(LOOK_EVERY_MS, null, { signal });
  }
};
