/**
 * The roots that a client announces, and which of them are believed. A client on this machine names its own folders; one that
 * comes over the network may only choose among those that the operator opened.
 */
import { isInside, readRootUri, type PathView } from "@bailiwick/contract";
import type { ClientRoots } from "../../kernel/roots.ts";
import type { RootSettings } from "./configured-roots.ts";
import { isBroadFolder } from "./is-broad-folder.ts";
import { isOfHost, type HostPlaces } from "./is-of-host.ts";
import { realOf } from "./real-of.ts";
import type { Root } from "./root-list.ts";

export interface AnnouncedOptions extends HostPlaces {
  readonly fromClients: RootSettings["fromClients"];
  readonly configured: readonly Root[];
  readonly home: string;
  readonly view: PathView;
}

const MAX_USED = 64;
const MAX_NAME = 256;
const CONTROL = /\p{Cc}/u;

export const announcedRoots = (client: ClientRoots, options: AnnouncedOptions): readonly Root[] =>
  client.listed.map(({ uri, name }, index) => {
    const shown = name !== null && name.length <= MAX_NAME && name.isWellFormed() && !CONTROL.test(name) ? name : null;
    const unusable = (reason: string): Root => ({ name: shown, uri, path: null, reason });
    if (index >= MAX_USED) return unusable(`only the first ${MAX_USED} roots are used`);
    if (options.fromClients === "never") return unusable(NEVER);
    const read = readRootUri(uri, options.flavour);
    if ("reason" in read) return unusable(read.reason);
    if (!/^file:/i.test(uri)) return unusable("a root of a client is a file: URI");
    const { path } = read;
    const judge = (view: PathView): string | null => whyNot(path, client.via, { ...options, view });
    const reason = judge(options.view);
    return { name: shown, uri, path: reason === null ? path : null, reason, holds: (view) => judge(view) === reason };
  });

const NEVER =
  "roots of clients are not used on this host; ask the operator to list the folder in capabilities.roots.list";
const ELSEWHERE =
  "it lies outside of the folders that this host opens; ask the operator to list it in capabilities.roots.list";
const BROAD =
  "it is a home, the top of the disk or a folder of the system, or it holds one; open a project folder instead";

const OF_HOST = "it is the host's own work directory, lies in it or holds it; open a project folder instead";

/** Null: it is believed. */
const whyNot = (path: string, via: ClientRoots["via"], options: AnnouncedOptions): string | null => {
  const { configured, home, flavour, fromClients } = options;
  const real = realOf(path, options);
  if (holdsHost(real, options) || isOfHost(real, options, options.view)) return OF_HOST;
  if (fromClients === "always") return null;
  if (via === "stdio") {
    const broad = isBroadFolder(path, home, flavour) || isBroadFolder(real, realOf(home, options), flavour);
    return broad ? BROAD : null;
  }
  const open = configured.some((root) => root.path !== null && isInside(realOf(root.path, options), real, flavour));
  return open ? null : ELSEWHERE;
};

/** A folder that has the host's state in it opens that too. */
const holdsHost = (real: string, options: AnnouncedOptions): boolean =>
  isInside(real, realOf(options.workDir, options), options.flavour);
