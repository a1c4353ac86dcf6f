/**
 * What of the file system a confined process is shown, free of links, so that none of it leads elsewhere. Says no to what
 * would show it the host's own state.
 */
import type { Sandbox } from "@bailiwick/contract";
import { mkdir, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { covers } from "./covers.ts";

export interface PlacesOrder {
  readonly name: string;
  readonly settings: Pick<Sandbox, "read" | "write">;
  /** Of the bundle. */
  readonly directory: string;
  /** Made if missing. */
  readonly dataDir: string;
  readonly workDir: string;
  /** Paths of the entry are relative to it. */
  readonly baseDir: string;
  /** Other entries' secrets stand in them. */
  readonly configFiles: readonly string[];
  readonly nodePath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ConfinedPlaces {
  readonly directory: string;
  readonly dataDir: string;
  readonly workDir: string;
  readonly home: string;
  /** Where the configuration files lie. Hidden whole: a file that is hidden alone is seen again when it is replaced. */
  readonly configDirs: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Read-only as well: the runtime, and the certificates the host was told to trust. */
  readonly support: readonly string[];
}

/** Through these a process would see others. */
const SYSTEM = ["/proc", "/dev"];
const CERTIFICATES = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"];

/** Throws Refusal `install_refused` that names the path and the next step. */
export const confinedPlaces = async (order: PlacesOrder): Promise<ConfinedPlaces> => {
  const { env } = order;
  await mkdir(order.dataDir, { recursive: true, mode: 0o700 });
  const [directory, dataDir, workDir, home] = await Promise.all(
    [order.directory, order.dataDir, order.workDir, env["HOME"] ?? "/"].map(realOrSame),
  );
  const own = { directory, dataDir, workDir, home } as Record<"directory" | "dataDir" | "workDir" | "home", string>;
  const places: Places = { ...own, configDirs: await configDirsOf(order) };
  checkPackage(order, places);
  const given = (key: "read" | "write"): Promise<string[]> =>
    Promise.all(order.settings[key].map((path) => checkGiven({ order, key, path, places })));
  return { ...places, read: await given("read"), write: await given("write"), support: await supportOf(order, places) };
};

type Places = Pick<ConfinedPlaces, "directory" | "dataDir" | "workDir" | "home" | "configDirs">;

/** Of a link, where it lies and where it leads. What is not there yet cannot be hidden, so it is made. */
const configDirsOf = async ({ configFiles }: PlacesOrder): Promise<string[]> => {
  const dirs = configFiles.flatMap((file) => [
    mkdir(dirname(file), { recursive: true, mode: 0o700 }).then(() => realpath(dirname(file))),
    realpath(file).then(dirname),
  ]);
  const found = await Promise.allSettled(dirs);
  return [...new Set(found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])))];
};

/** What it lies around is hidden from it; what it is itself cannot be. */
const checkPackage = ({ name }: PlacesOrder, { directory, dataDir, workDir, home, configDirs }: Places): void => {
  const workspaces = join(workDir, "workspaces");
  const faults: readonly (readonly [string, boolean])[] = [
    ["is the work directory itself", directory === workDir],
    ["is the home directory itself", directory === home],
    ["is the folder in which the host's configuration lies", configDirs.includes(directory)],
    [
      "holds what the host keeps of a workspace",
      covers(workDir, directory) && (covers(directory, dataDir) || dirname(directory) === workspaces),
    ],
  ];
  const fault = faults.find(([, isSo]) => isSo);
  if (fault === undefined) return;
  throw refuse(name, `its package ${fault[0]}`, `Move the package out of ${directory} into a directory of its own.`);
};

const realOrSame = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

const supportOf = async ({ nodePath, env }: PlacesOrder, { workDir, home, configDirs }: Places): Promise<string[]> => {
  const folder = dirname(nodePath);
  // A folder around the home would show more than a runtime.
  const runtime = [home, workDir, ...configDirs].some((place) => covers(folder, place)) ? nodePath : folder;
  const certificates = await Promise.all(
    CERTIFICATES.flatMap((variable) => env[variable] ?? []).map((file) => realpath(file).catch(() => null)),
  );
  return [
    runtime,
    ...certificates.filter(
      (file) => file !== null && !covers(workDir, file) && !covers(file, home) && !configDirs.includes(file),
    ),
  ] as string[];
};

interface Given {
  readonly order: PlacesOrder;
  readonly key: "read" | "write";
  /** As the configuration has it. */
  readonly path: string;
  readonly places: Places;
}

const checkGiven = async ({ order, key, path, places }: Given): Promise<string> => {
  const { name, baseDir, env } = order;
  const { workDir, configDirs } = places;
  const full = path === "~" || path.startsWith("~/") ? join(env["HOME"] ?? "/", path.slice(1)) : resolve(baseDir, path);
  const real = await realpath(full).catch(() => {
    throw refuse(
      name,
      `its sandbox.${key} names ${full}, which does not exist`,
      `Create it, or take it out of sandbox.${key}.`,
    );
  });
  const configFiles = await Promise.all(order.configFiles.map(realOrSame));
  if ([...configDirs, ...configFiles].includes(real)) {
    throw refuse(
      name,
      `its sandbox.${key} names ${full}, where the host's configuration lies`,
      `Take it out of sandbox.${key}; name folders in it instead, if it needs some.`,
    );
  }
  if (!covers(workDir, real) && !SYSTEM.some((root) => covers(root, real))) return real;
  throw refuse(
    name,
    `its sandbox.${key} names ${full}, which lies where the host or other processes keep their state`,
    `Take it out of sandbox.${key}.`,
  );
};

const refuse = (name: string, why: string, next: string): Refusal =>
  new Refusal("install_refused", {
    message: `${name} cannot be confined: ${why}.`,
    next,
    details: { bundle: name, reason: "sandbox-invalid" },
  });
