/**
 * Which folders the tools of a call may work in: those that its client announced, if one of them can be believed, or else those
 * that are configured. Made once for each configuration and each answer of a client.
 */
import { DISK } from "../../kernel/disk-view.ts";
import type { ClientRoots, RootList, RootsOf } from "../../kernel/roots.ts";
import { announcedRoots } from "./announced-roots.ts";
import { configuredRoots, type ConfiguredOptions, type RootSettings } from "./configured-roots.ts";
import { createRootList, type Root } from "./root-list.ts";

export interface RootsOptions extends ConfiguredOptions {
  /** As they are now; the same object while nothing changes. */
  readonly settings: () => RootSettings;
  /** Of whoever runs the host. */
  readonly home: string;
}

type ByWorkspace = Map<string, RootList>;

/** For calls whose client announces nothing. */
const NOBODY: ClientRoots = Object.freeze({ listed: [], via: "http" });

export const createRoots = (options: RootsOptions): RootsOf => {
  const made = new WeakMap<RootSettings, WeakMap<ClientRoots, ByWorkspace>>();

  const listsOf = (settings: RootSettings, client: ClientRoots): ByWorkspace => {
    const byClient = made.get(settings) ?? new WeakMap<ClientRoots, ByWorkspace>();
    const lists = byClient.get(client) ?? new Map<string, RootList>();
    made.set(settings, byClient.set(client, lists));
    return lists;
  };

  return ({ workspace, clientRoots }) => {
    const settings = options.settings();
    const lists = listsOf(settings, clientRoots ?? NOBODY);
    const known = lists.get(workspace);
    if (known) return known;
    const { roots, lasting } = rootsOf(settings, { workspace, clientRoots }, options);
    const list = createRootList({
      roots,
      profile: settings.profile,
      announced: clientRoots?.listed.length ?? null,
      flavour: options.flavour,
      view: DISK,
    });
    if (lasting) lists.set(workspace, list);
    return list;
  };
};

const rootsOf = (
  settings: RootSettings,
  { workspace, clientRoots }: Parameters<RootsOf>[0],
  options: RootsOptions,
): { readonly roots: readonly Root[]; readonly lasting: boolean } => {
  const configured = configuredRoots(settings, workspace, options);
  // A folder that could not be made is tried again.
  const lasting = settings.list !== undefined || configured.every(({ path }) => path !== null);
  if (clientRoots === null) return { roots: configured, lasting };
  const { fromClients } = settings;
  const announced = announcedRoots(clientRoots, { ...options, fromClients, configured, view: DISK });
  const believed = announced.some(({ path }) => path !== null);
  return { roots: believed ? announced : [...announced, ...configured], lasting };
};
