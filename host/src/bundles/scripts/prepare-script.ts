/**
 * From an order to what is spawned: the environment of a package's script, and the sandbox around it where the configuration
 * asks for one. With the sandbox on, the roots are mounted as the tool may use them, and the package read-only.
 */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { ScriptNotStarted } from "../../kernel/script-not-started.ts";
import type { ScriptOrder } from "../../kernel/script.ts";
import { childEnvironment, MARKER_VARIABLE } from "../child-environment.ts";
import { bwrapCommand, type PlacedLink } from "../sandbox/bwrap-command.ts";
import { confinedPlaces, type ConfinedPlaces } from "../sandbox/confined-places.ts";
import { covers } from "../sandbox/covers.ts";
import { findBwrap } from "../sandbox/find-bwrap.ts";
import { linksOn } from "./links-on.ts";
import type { RunScriptOptions } from "./run-script-options.ts";

export interface PreparedScript {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The command is bubblewrap, which reads this from descriptor 3; null: it is the program itself. */
  readonly settings: string | null;
  readonly marker: string;
  readonly dataDir: string;
}

/** What Python would write beside the scripts would change the package that was accepted. */
const FIXED_ENV = { PYTHONDONTWRITEBYTECODE: "1" };

/** Rejects with ScriptNotStarted where the script must not start. */
export const prepareScript = async (order: ScriptOrder, options: RunScriptOptions): Promise<PreparedScript> => {
  const { command, args, provider } = order;
  const bwrap = await chooseBwrap(order, options);
  const given = options.dataDirOf(provider);
  await makeDataDir(given);
  const places = bwrap === null ? null : await placesOf(order, options, given);
  const dataDir = places?.dataDir ?? given;
  const marker = randomBytes(16).toString("hex");
  const env = childEnvironment({
    host: options.env,
    platform: process.platform,
    manifest: FIXED_ENV,
    entry: {},
    allowed: order.allowedEnv,
    workspace: options.workspace,
    dataDir,
    confined: places !== null,
    marker,
  });
  if (bwrap === null || places === null) return { command, args, env, settings: null, marker, dataDir };
  const { network } = options.sandbox();
  const inside = bwrapCommand({ ...places, command, args, env, network });
  return { command: bwrap, ...inside, env: { [MARKER_VARIABLE]: marker }, marker, dataDir };
};

const makeDataDir = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    // An earlier hand may have opened it to others.
    await chmod(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ScriptNotStarted(`Its data directory cannot be used (${code ?? "unknown"}).`, { cause: error });
  }
};

const chooseBwrap = async (
  { provider, onStderr }: ScriptOrder,
  { sandbox, env }: RunScriptOptions,
): Promise<string | null> => {
  const { profile, require } = sandbox();
  if (profile === "off") return null;
  const found = await findBwrap(env["PATH"] ?? "");
  if (found.ok) return found.program;
  if (!require) {
    onStderr(`${found.reason}, so this ran without its sandbox; install bubblewrap`);
    return null;
  }
  throw new ScriptNotStarted(
    `The scripts of ${provider} may only run in the sandbox "bwrap", and ${found.reason}. ` +
      'Install bubblewrap, or set "require": false in "sandbox" of bailiwick.json.',
  );
};

interface ScriptPlaces extends ConfinedPlaces {
  readonly links: readonly PlacedLink[];
}

const placesOf = async (order: ScriptOrder, options: RunScriptOptions, dataDir: string): Promise<ScriptPlaces> => {
  const { workDir, baseDir, configFiles, env, sandbox } = options;
  const { provider: name, packageDir: directory, support } = order;
  try {
    const settings = sandbox();
    const asked = {
      name,
      settings,
      directory,
      dataDir,
      workDir,
      baseDir,
      configFiles,
      env,
      nodePath: process.execPath,
    };
    const places = await confinedPlaces(asked);
    const roots = await rootPlaces(order, options, places);
    return {
      ...places,
      links: roots.links,
      read: [...places.read, ...roots.read],
      write: [...places.write, ...roots.write],
      support: [...places.support, ...(await Promise.all(support.map((path) => realpath(path))))],
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // It names paths of the host, which callers of the tool need not know.
    order.onStderr(`${error.message} ${error.next}`);
    throw new ScriptNotStarted(
      `The scripts of ${name} cannot be confined; its log says why: bailiwick skill info ${name}`,
      {
        cause: error,
      },
    );
  }
};

/**
 * Roots that are there, free of links, and the links by which their own spelling leads to them, which is how a script is told
 * of them. What would show the host's own state is none.
 */
const rootPlaces = async (
  { provider, roots }: ScriptOrder,
  { workspace }: RunScriptOptions,
  { workDir, configDirs }: ConfinedPlaces,
): Promise<Pick<ScriptPlaces, "read" | "write" | "links">> => {
  const project = join(workDir, "workspaces", workspace, "project");
  const real = await Promise.all(
    roots.map(async ({ path, writable }) => ({ path: await realpath(path).catch(() => null), writable })),
  );
  const there = real.filter((root): root is { path: string; writable: boolean } => root.path !== null);
  for (const { path } of there) {
    const isOwn = covers(workDir, path) && !covers(project, path);
    if (isOwn || configDirs.includes(path)) throw ownState(provider, path);
  }
  const those = (writable: boolean): string[] =>
    there.filter((root) => root.writable === writable).map(({ path }) => path);
  const links = await Promise.all(roots.map(({ path }) => linksOn(path)));
  return { read: those(false), write: those(true), links: links.flat() };
};

const ownState = (provider: string, path: string): Refusal =>
  new Refusal("install_refused", {
    message: `${provider} cannot be confined: the root ${path} is where the host keeps its configuration or its state.`,
    next: "Name another folder in capabilities.roots.list, or move bailiwick.json out of this one.",
  });
