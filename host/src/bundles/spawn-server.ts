/**
 * Starts a bundle's program in a session of its own and owns it until nothing of it is left.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdir } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { brandCommand, type BrandedCommand } from "./brand-command.ts";
import type { ServerProcess } from "./connection.ts";
import { endProcesses } from "./end-processes.ts";
import type { Keeper } from "./keeper.ts";
import type { OutputTail } from "./output-tail.ts";
import { bornOf, type Spawned } from "./process-table.ts";
import { Survivors } from "./survivors.ts";

export interface SpawnServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment, the marker in it. */
  readonly env: Readonly<Record<string, string>>;
  /** The command is bubblewrap, which reads this from descriptor 3; null: it is the program itself. */
  readonly settings: string | null;
  readonly marker: string;
  /** Made if missing, mode 0700; also the working directory. */
  readonly dataDir: string;
  readonly keeper: Keeper;
  /** Where the last lines go; kept by the caller over restarts. */
  readonly tail: OutputTail;
}

export interface RunningServer extends ServerProcess {
  readonly pid: number;
  /** Ends whatever is left at once: the process crashed or does not answer. */
  kill(): Promise<void>;
}

const STDIN_GRACE_MS = 2_000;
const TERM_GRACE_MS = 3_000;
const DRAIN_MS = 200;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Rejects with a sentence for people when the program cannot be started. */
export const spawnServer = async (options: SpawnServerOptions): Promise<RunningServer> => {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  options.keeper.watch({ marker: options.marker, pgid: 0, born: "" });
  let child: Child;
  try {
    // Bubblewrap has a better hold of what it starts than a brand.
    const branded = options.settings === null ? await brandCommand(options) : options;
    child = await startChild(branded, options);
  } catch (error) {
    options.keeper.forget(options.marker);
    throw new Error(describeFailure(error as NodeJS.ErrnoException, options), { cause: error });
  }
  const pid = child.pid ?? 0;
  const spawned: Spawned = { marker: options.marker, pgid: pid, born: bornOf(pid) };
  options.keeper.watch(spawned);
  return ownChild(child, spawned, options);
};

const startChild = ({ command, args }: BrandedCommand, options: SpawnServerOptions): Promise<Child> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd: options.dataDir,
      env: options.env,
      detached: true,
      shell: false,
      windowsHide: true,
      stdio: options.settings === null ? ["pipe", "pipe", "pipe"] : ["pipe", "pipe", "pipe", "pipe"],
    }) as Child;
    const descriptor = child.stdio[3] as Writable | null | undefined;
    descriptor?.on("error", () => {});
    descriptor?.end(options.settings);
    child.once("error", reject);
    child.once("spawn", () => resolve(child));
  });

const describeFailure = (error: NodeJS.ErrnoException, { command }: SpawnServerOptions): string => {
  if (error.code === "ENOENT")
    return `the program ${command} was not found; install it or correct the bundle's command`;
  if (error.code === "EACCES") return `the program ${command} may not be run; make it executable`;
  return `the program ${command} could not be started: ${error.message}`;
};

const ownChild = (child: Child, spawned: Spawned, options: SpawnServerOptions): RunningServer => {
  const { keeper, tail } = options;
  const survivors = new Survivors(spawned);
  // Bubblewrap ends with all it holds, and the program is to end by itself.
  const spare = options.settings === null ? {} : { spare: spawned.pgid };
  tail.begin();
  child.stderr.on("data", (chunk: Buffer) => tail.push(chunk));
  const drained = new Promise<void>((resolve) => child.stderr.once("close", resolve));
  // A pipe that breaks is how a process ends; `exited` and the connection tell it.
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on("error", () => {});
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) =>
      resolve(signal === null ? `exited with code ${code}` : `was killed by ${signal}`),
    );
  });
  const end = async (graceMs: number): Promise<void> => {
    const gone = await endProcesses(survivors, { graceMs, ...spare });
    // What it wrote last is often why it ended. Nothing holds the other end any more, so this is quick.
    await Promise.race([drained, sleep(DRAIN_MS, null, { ref: false })]);
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    // One that could not be ended stays on the keeper's list.
    if (gone) keeper.forget(spawned.marker);
    else tail.note(`process group ${spawned.pgid} could not be ended`);
  };
  let ending: Promise<void> | null = null;
  return {
    pid: spawned.pgid,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    noteOutput: (line) => tail.note(line),
    stop() {
      ending ??= (async () => {
        // When it ends by itself nobody can tell any more what it has started.
        await survivors.find();
        child.stdin.end();
        const patience = new AbortController();
        await Promise.race([exited, sleep(STDIN_GRACE_MS, null, { signal: patience.signal }).catch(() => null)]);
        patience.abort();
        await end(TERM_GRACE_MS);
      })();
      return ending;
    },
    kill: () => end(0),
  };
};
