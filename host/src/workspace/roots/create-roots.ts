/**
 * Which folders the tools of a call may work in: those that its client announced, if one of them can be believed, or else those
 * that are configured. Made once for each configuration and each answer of a client, and anew when the disk is not what it was.
 */
import { glanceAtDisk } from "../../kernel/disk-view.ts";
import type { ClientRoots, RootList, RootsOf } from "../../kernel/roots.ts";
import { announcedRoots } from "./announced-roots.ts";
import { configuredRoots, type ConfiguredOptions, type RootSettings } from "./configured-roots.ts";
import { isOfHost } from "./is-of-host.ts";
import { createRootList, type Root } from "./root-list.ts";

export interface RootsOptions extends ConfiguredOptions {
  /** As they are now; the same object while nothing changes. */
  readonly settings: () => RootSettings;
  /** Of whoever runs the host. */
  readonly home: string;
  /** Of the host itself. */
  readonly workDir: string;
  readonly configFile: string;
}

interface Made {
  readonly list: RootList;
  /** What it was made of, its own rows or not. */
  readonly roots: readonly Root[];
}

type ByWorkspace = Map<string, Made>;

/** For calls whose client announces nothing. */
const NOBODY: ClientRoots = Object.freeze({ listed: [], via: "http" });

export const createRoots = (options: RootsOptions): RootsOf => {
  const made = new WeakMap<RootSettings, WeakMap<ClientRoots, ByWorkspace>>();

  const listsOf = (settings: RootSettings, client: ClientRoots): ByWorkspace => {
    const byClient = made.get(settings) ?? new WeakMap<ClientRoots, ByWorkspace>();
    const lists = byClient.get(client) ?? new Map<string, Made>();
    made.set(settings, byClient.set(client, lists));
    return lists;
  };

  return ({ workspace, clientRoots }) => {
    const settings = options.settings();
    const lists = listsOf(settings, clientRoots ?? NOBODY);
    const known = lists.get(workspace);
    if (known && holds(known)) return known.list;
    const found = rootsOf(settings, { workspace, clientRoots }, options);
    const list = createRootList({
      roots: found.inForce,
      profile: settings.profile,
      announced: clientRoots === null ? null : (clientRoots.announced ?? clientRoots.listed.length),
      flavour: options.flavour,
      isClosed: (path, view) => isOfHost(path, { ...options, project: options.projectDir(workspace) }, view),
    });
    lists.set(workspace, { list, roots: found.all });
    return list;
  };
};

const holds = ({ roots }: Made): boolean => {
  const view = glanceAtDisk();
  return roots.every((root) => root.holds === undefined || root.holds(view));
};

const rootsOf = (
  settings: RootSettings,
  { workspace, clientRoots }: Parameters<RootsOf>[0],
  options: RootsOptions,
): { readonly inForce: readonly Root[]; readonly all: readonly Root[] } => {
  const configured = configuredRoots(settings, workspace, options);
  if (clientRoots === null) return { inForce: configured, all: configured };
  const { fromClients } = settings;
  const project = options.projectDir(workspace);
  const announced = announcedRoots(clientRoots, { ...options, fromClients, configured, project, view: glanceAtDisk() });
  const believed = announced.some(({ path }) => path !== null);
  const all = [...announced, ...configured];
  return { inForce: believed ? announced : all, all };
};
