/** Bundles as people steer them. Who asked for what is durable before it is done; where that cannot be recorded, nothing is. */
import { BASH_NAME } from "../bundles/bash/locate-bash.ts";
import type { Installed } from "../bundles/install-bundle.ts";
import { chooseHeld } from "../bundles/pinning/choose-held.ts";
import { findValueFaults } from "../bundles/user-config.ts";
import type { Asking, BundleAdmin } from "../kernel/bundle-admin.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { TokenStore } from "../kernel/token-store.ts";
import type { WorkspaceEvents } from "../kernel/workspace-event.ts";
import type { KeptBundle } from "../bundles/make-bundle.ts";
import type { BundleEvidence } from "./bundle-evidence.ts";
import { addEntry, removeEntry, type RawEntry } from "./config-entries.ts";
import { evidenceSource } from "./evidence-source.ts";
import { asWritten, readInstallOrder } from "./read-install-order.ts";
import { describeBundle, showBundle } from "./show-bundle.ts";
import { forgetValues, storeValues, type ValuesOf } from "./stored-values.ts";
import { userFields } from "./user-fields.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

export interface SteerOptions {
  /** The workspace of a principal is open by then. */
  readonly room: (workspace: string) => WorkspaceRoom;
  readonly evidence: BundleEvidence;
  readonly tokens: TokenStore;
  /** Ends installs that are under way. */
  readonly signal: AbortSignal;
  readonly publish: WorkspaceEvents["publish"];
}

export const steerBundles = ({ room, evidence, tokens, signal, publish }: SteerOptions): BundleAdmin => ({
  list: (workspace) => room(workspace).bundles.all().map(showBundle),
  inspect: async (workspace, name) => describeBundle(room(workspace), name, tokens),
  // Compose is no bundle, and its plug-in generators print like those.
  logs: (workspace, name) =>
    name === "compose" ? room(workspace).compose.logs() : room(workspace).bundles.output(name),
  async change(change, name, asking) {
    const { bundles } = room(asking.workspace);
    // Throws for an unknown one, so that only what exists is recorded.
    bundles.find(name);
    await evidence.asked(change, name, asking);
    if (change === "start") await bundles.startOne(name);
    else if (change === "stop") await bundles.stopOne(name);
    else await bundles.restartOne(name);
    return { name, status: bundles.statusOf(name).state };
  },
  async install(asked, asking, onProgress) {
    const target = room(asking.workspace);
    const source = evidenceSource(asked);
    recordingNo({ evidence, wanted: "install", about: { source }, asking }, () => readInstallOrder(asked, target));
    await evidence.installAsked(source, asking);
    try {
      const raw = await asWritten(asked, target, signal);
      const entry = readInstallOrder(raw, target);
      const commit = async (installed: Installed): Promise<void> => {
        await addEntry(target, recorded(raw, installed), entry);
        await evidence.installed(installed, asking).catch(async (error: unknown) => {
          await removeEntry(target, entry);
          throw error;
        });
      };
      const { name, bundle } = await target.bundles.install({ entry, signal, onProgress, commit });
      publish(asking.workspace, { type: "bundle.installed", data: { name, version: bundle.status().version } });
      return showBundle(target.bundles.find(name));
    } catch (error) {
      // Where even that cannot be recorded, what went wrong first is what the caller should hear.
      await evidence.installFailed(source, error, asking).catch(() => {});
      throw signal.aborted ? hostStopping() : error;
    }
  },
  async uninstall(name, asking) {
    const target = room(asking.workspace);
    const kept = target.bundles.find(name);
    recordingNo({ evidence, wanted: "uninstall", about: { bundle: name }, asking }, () => refuseKept(target, kept));
    await evidence.asked("uninstall", name, asking);
    let gone = kept;
    await target.bundles.remove(name, async (removed) => {
      // A reload may have come between.
      refuseKept(target, removed);
      await removeEntry(target, removed.entry);
      gone = removed;
    });
    forgetValues(valuesOf(target, gone, tokens));
    publish(asking.workspace, { type: "bundle.uninstalled", data: { name } });
    await evidence.uninstalled(name, asking);
    return { name, uninstalled: true, dataPreserved: true, dataPath: target.dataPath(name) };
  },
  async accept(name, yes, asking) {
    const { bundle } = room(asking.workspace).bundles.find(name);
    const chosen = recordingNo({ evidence, wanted: "definitions_accept", about: { bundle: name }, asking }, () =>
      chooseHeld(name, bundle.held(), yes),
    );
    await evidence.acceptAsked(name, chosen, asking);
    // What changed while that was written down is not what stands there.
    return { name, accepted: bundle.accept({ tools: yes.tools, offered: chosen.map(({ offered }) => offered) }) };
  },
  async configure(name, values, asking) {
    const target = room(asking.workspace);
    const { bundles } = target;
    const fields = await userFields(target, bundles.find(name));
    recordingNo({ evidence, wanted: "configure", about: { bundle: name }, asking }, () => {
      const faults = fields === null ? [] : findValueFaults(values, fields);
      if (faults.length > 0) throw unusable(name, faults);
    });
    await evidence.configureAsked(name, Object.keys(values), asking);
    const stored = storeValues(valuesOf(target, bundles.find(name), tokens), values);
    // Whoever stopped it starts it too.
    if (bundles.statusOf(name).state !== "stopped") await bundles.restartOne(name);
    return { name, stored, status: bundles.statusOf(name).state };
  },
  async search(query, { limit, workspace }) {
    const { sources, bundles } = room(workspace);
    const found = await sources.search(query, limit);
    const names = new Set(bundles.all().map(({ entry }) => (entry.kind === "name" ? entry.name : "")));
    const marked = found.bundles.map((each) => Object.assign({ installed: names.has(each.name) }, each));
    return { ...found, bundles: marked };
  },
  async reload(asking) {
    await evidence.reloadAsked(asking);
    return room(asking.workspace).reload();
  },
  turnedAway: (wanted, refusal, asking) => evidence.refused(wanted, {}, { refusal, asking }),
});

interface Wanted {
  readonly evidence: BundleEvidence;
  readonly wanted: string;
  readonly about: object;
  readonly asking: Asking;
}

const recordingNo = <T>({ evidence, wanted, about, asking }: Wanted, decide: () => T): T => {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) evidence.refused(wanted, about, { refusal: error, asking });
    throw error;
  }
};

const valuesOf = (target: WorkspaceRoom, { name, entry }: KeptBundle, tokens: TokenStore): ValuesOf => ({
  tokens,
  workspace: target.id,
  provider: name,
  source: target.sourceOf(entry),
});

const unusable = (name: string, faults: readonly string[]): Refusal =>
  new Refusal("bad_request", {
    message: `${name} cannot use that, so nothing was stored: ${faults.join("; ")}.`,
    next: `See what it takes: bailiwick bundle configure ${name}`,
    details: { errors: faults },
  });

/** What was found out at the install is kept with the entry: it is shown, and widens nothing. */
const recorded = (raw: RawEntry, { located, bundle }: Installed): RawEntry => {
  const ui = bundle.facts()?.ui ?? null;
  const score = located?.trustScore ?? null;
  return {
    ...raw,
    ...(score === null || raw["trustScore"] !== undefined ? {} : { trustScore: score }),
    ...(ui === null || raw["ui"] !== undefined ? {} : { ui }),
  };
};

const hostStopping = (): Refusal =>
  new Refusal("not_ready", {
    message: "The host is stopping, so nothing was installed.",
    next: "Start it and install again.",
  });

/** Throws for what no command removes. */
const refuseKept = ({ file, config }: WorkspaceRoom, { name, entry }: KeptBundle): void => {
  if (entry.protected) throw isProtected(name, file.file ?? "the configuration");
  if (!config.bundles.includes(entry))
    throw isBuiltIn(name, "comes with the host and has no entry that could be removed");
  const isBash = entry.kind === "name" && entry.name === BASH_NAME;
  if (isBash && !config.noDefaultBundles) throw isBuiltIn(name, "comes with the host, also without its entry");
};

const isProtected = (name: string, file: string): Refusal =>
  new Refusal("protected", {
    message: `${name} is protected, so it is not removed by a command.`,
    next: `Take its entry out of ${file} by hand, or set its "protected" to false first.`,
  });

const isBuiltIn = (name: string, why: string): Refusal =>
  new Refusal("protected", {
    message: `${name} ${why}.`,
    next: 'Set "noDefaultBundles": true in the configuration and reload: bailiwick reload',
  });
