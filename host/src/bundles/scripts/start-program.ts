/**
 * Starts a program that runs beside the host for long, with the environment, the sandbox and the keeper of any script. What it
 * prints goes to the log; it is talked to over descriptor 4, and 3 is where a sandbox reads its settings.
 */
import { spawn, type ChildProcess } from "node:child_process";
import type { Duplex, Readable, Writable } from "node:stream";
import type { Program, ProgramOrder, StartProgram } from "../../kernel/program.ts";
import { ScriptNotStarted } from "../../kernel/script-not-started.ts";
import type { ScriptOrder } from "../../kernel/script.ts";
import { brandCommand } from "../brand-command.ts";
import { endProcesses } from "../end-processes.ts";
import { bornOf, type Spawned } from "../process-table.ts";
import { Redaction } from "../redaction.ts";
import { Survivors } from "../survivors.ts";
import { prepareScript, type PreparedScript } from "./prepare-script.ts";
import type { RunScriptOptions } from "./run-script-options.ts";
import { StderrLines } from "./stderr-lines.ts";

const TERM_GRACE_MS = 2_000;

export const createStartProgram =
  (options: Omit<RunScriptOptions, "redaction">): StartProgram =>
  async (order) => {
    const { env, ground } = options;
    const redaction = new Redaction();
    redaction.learn(order.allowedEnv.map((variable) => env[variable] ?? ""));
    const prepared = await prepareScript(asScript(order), { ...options, redaction });
    const { marker } = prepared;
    ground.keeper.watch({ marker, pgid: 0, born: "" });
    try {
      const child = await spawnProgram(prepared);
      const spawned: Spawned = { marker, pgid: child.pid ?? 0, born: bornOf(child.pid ?? 0) };
      ground.keeper.watch(spawned);
      return followProgram({ child, spawned, prepared, order, redaction, keeper: ground.keeper });
    } catch (error) {
      ground.keeper.forget(marker);
      const { code = "unknown" } = error as NodeJS.ErrnoException;
      throw new ScriptNotStarted(`Its process could not be started (${code}).`, { cause: error });
    }
  };

/** It has no input and no limits of its own: whoever starts it ends it. */
const asScript = (order: ProgramOrder): ScriptOrder => ({
  ...order,
  roots: [],
  input: "",
  limitMs: 0,
  maxOutputBytes: 0,
  signal: new AbortController().signal,
  onStderr: order.onLine,
});

const spawnProgram = async (prepared: PreparedScript): Promise<ChildProcess> => {
  const { dataDir, env, settings } = prepared;
  const { command, args } = settings === null ? await brandCommand(prepared) : prepared;
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd: dataDir,
      env,
      detached: true,
      shell: false,
      windowsHide: true,
      stdio: ["ignore", "pipe", "pipe", settings === null ? "ignore" : "pipe", "pipe"],
    });
    const descriptor = child.stdio[3] as Writable | null;
    descriptor?.on("error", () => {});
    descriptor?.end(settings);
    child.once("error", reject);
    child.once("spawn", () => resolve(child));
  });
};

interface FollowOptions {
  readonly child: ChildProcess;
  readonly spawned: Spawned;
  readonly prepared: PreparedScript;
  readonly order: ProgramOrder;
  readonly redaction: Redaction;
  readonly keeper: RunScriptOptions["ground"]["keeper"];
}

const followProgram = ({ child, spawned, prepared, order, redaction, keeper }: FollowOptions): Program => {
  const survivors = new Survivors(spawned);
  const channel = child.stdio[4] as Duplex;
  const pipes = [child.stdout, child.stderr] as Readable[];
  for (const pipe of pipes) {
    const lines = new StderrLines(redaction, order.onLine);
    pipe.on("data", (chunk: Buffer) => lines.push(chunk));
    pipe.on("close", () => lines.end());
  }
  for (const stream of [...pipes, channel]) stream.on("error", () => {});
  const exited = new Promise<Awaited<Program["ended"]>>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  /** Of what it started, too. */
  const clear = async (graceMs: number): Promise<boolean> => {
    // Bubblewrap ends with all it holds: the program in it is to end by itself.
    const spare = prepared.settings === null ? {} : { spare: spawned.pgid };
    return endProcesses(survivors, { graceMs, ...spare }).catch(() => false);
  };
  const ended = exited.then(async (end) => {
    const gone = await clear(0);
    // One that could not be ended stays on the keeper's list.
    if (gone) keeper.forget(spawned.marker);
    else {
      order.onLine(`process group ${spawned.pgid} could not be ended`);
      for (const stream of [...pipes, channel]) stream.destroy();
    }
    return end;
  });
  const end = async (): Promise<void> => {
    if (await clear(TERM_GRACE_MS)) await ended;
  };
  return { channel, ended, clean: (text) => redaction.clean(text), end };
};
