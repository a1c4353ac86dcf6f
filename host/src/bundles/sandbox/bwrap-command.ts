/**
 * The command that runs a program confined by bubblewrap: new namespaces, the system and the bundle read-only, its data and
 * what the entry names writable, and of the home, the work directory and where the configuration lies nothing else. Pure.
 *
 * The settings go to it over a pipe and not as arguments, since those are for everybody on the machine to read. The
 * program's variables are among them for another reason too: bubblewrap itself, which still runs outside, must not be
 * started with what a manifest may write, or `LD_PRELOAD` would be the way around it.
 */
import type { Sandbox } from "@bailiwick/contract";
import { isAbsolute } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import type { ConfinedPlaces } from "./confined-places.ts";
import { covers } from "./covers.ts";

/** Where a link lies, its folder free of links, and where it leads. */
export interface PlacedLink {
  readonly path: string;
  readonly target: string;
}

export interface BwrapOptions extends ConfinedPlaces {
  /** Made where they are not shown anyhow. */
  readonly links?: readonly PlacedLink[];
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly network: Sandbox["network"];
}

export interface BwrapCommand {
  readonly args: readonly string[];
  /** To be read from descriptor 3. */
  readonly settings: string;
}

const NAMESPACES = ["user", "pid", "ipc", "uts", "cgroup-try"];
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];
/** What programs look up by these names; of the certificates no private key. */
const ETC = [
  "alternatives",
  "ca-certificates",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki/ca-trust/extracted",
  "pki/tls/certs",
  "protocols",
  "resolv.conf",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];

interface Mount {
  readonly path: string;
  readonly flags: readonly string[];
}

export const bwrapCommand = (options: BwrapOptions): BwrapCommand => {
  const { command, args, env, network, dataDir } = options;
  const settings = [
    ...NAMESPACES.map((name) => `--unshare-${name}`),
    ...(network === "none" ? ["--unshare-net"] : []),
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--new-session",
    ...mountsOf(options),
    "--chdir",
    dataDir,
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
  if (settings.some((each) => each.includes("\0"))) throw refuseNul();
  return { args: ["--args", "3", "--", command, ...args], settings: settings.map((each) => `${each}\0`).join("") };
};

const mount =
  (flag: string) =>
  (path: string): Mount => ({ path, flags: [flag, path, path] });
const empty = (path: string): Mount => ({ path, flags: ["--tmpfs", path] });

/** What lies in another is mounted after it; of two at one place the later counts. */
const mountsOf = (options: BwrapOptions): string[] => {
  const { directory, dataDir, read, write } = options;
  const support = supportOf(options);
  const hidden = hiddenPlaces(options, [...SYSTEM, ...support, directory]);
  // Some of these are links, and nothing can be mounted on a link that is shown already.
  const isShown = (path: string): boolean =>
    [...read, ...write].some((place) => covers(place, path)) && !hidden.some((place) => covers(place, path));
  const system = [...SYSTEM, ...ETC.map((name) => `/etc/${name}`)].filter((path) => !isShown(path));
  const mounts = [
    ...["/tmp", ...hidden].map(empty),
    ...system.map(mount("--ro-bind-try")),
    ...[...support, ...read].map(mount("--ro-bind")),
    ...write.map(mount("--bind")),
    mount("--ro-bind")(directory),
    mount("--bind")(dataDir),
    { path: "/proc", flags: ["--proc", "/proc"] },
    { path: "/dev", flags: ["--dev", "/dev"] },
  ].toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
  const links = missingLinks(options.links ?? [], mounts);
  // What was made to hold the mounts is no place to write to.
  const frozen = write.includes("/") ? hidden : [...hidden, "/"];
  return [...[...mounts, ...links].flatMap(({ flags }) => flags), ...frozen.flatMap((path) => ["--remount-ro", path])];
};

/** What lies in a place that is shown from disk is there as it is on disk. */
const missingLinks = (links: readonly PlacedLink[], mounts: readonly Mount[]): Mount[] => {
  const byPath = new Map(links.map((link) => [link.path, link]));
  return [...byPath.values()].flatMap(({ path, target }) => {
    const around = mounts.findLast((each) => covers(each.path, path));
    const isShown = around !== undefined && around.flags[0] !== "--tmpfs";
    return isShown ? [] : [{ path, flags: ["--symlink", target, path] }];
  });
};

/** A program of its own place is shown alone. */
const supportOf = ({ command, directory, support, read, write }: BwrapOptions): readonly string[] => {
  const shown = [...SYSTEM, ...support, ...read, ...write, directory];
  return !isAbsolute(command) || shown.some((place) => covers(place, command)) ? support : [...support, command];
};

/** Where something that is shown lies around what must not be. What the entry names may show the home, never the rest. */
const hiddenPlaces = (
  { home, workDir, configDirs, read, write }: BwrapOptions,
  implied: readonly string[],
): readonly string[] => {
  const isIn = (places: readonly string[]) => (path: string) => places.some((place) => covers(place, path));
  const never = [workDir, ...configDirs].filter(isIn([...implied, ...read, ...write]));
  return [...new Set([...[home].filter(isIn(implied)), ...never])];
};

const depthOf = (path: string): number => (path === "/" ? 0 : path.split("/").length);

const refuseNul = (): Refusal =>
  new Refusal("install_refused", {
    message: "The bundle's environment has a value with a NUL character, which no process can be given.",
    next: "Take it out of the manifest's or the entry's env.",
  });
