/**
 * Runs one program of a skill package: a process of its own in a session of its own, with the environment and the sandbox of
 * any bundle's. Nothing of it is left when the promise is settled.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { basename } from "node:path";
import type { Readable, Writable } from "node:stream";
import { ScriptNotStarted } from "../../kernel/script-not-started.ts";
import type { RunScript, ScriptEnd, ScriptOrder } from "../../kernel/script.ts";
import { brandCommand } from "../brand-command.ts";
import { bornOf, type Spawned } from "../process-table.ts";
import { followScript, type ScriptChild } from "./follow-script.ts";
import { prepareScript, type PreparedScript } from "./prepare-script.ts";
import type { RunScriptOptions } from "./run-script-options.ts";

export const createRunScript =
  (options: RunScriptOptions): RunScript =>
  async (order) => {
    const { redaction, env, ground } = options;
    const { keeper } = ground;
    redaction.learn(order.allowedEnv.map((variable) => env[variable] ?? ""));
    const prepared = await prepareScript(order, options);
    if (order.signal.aborted) return NOT_BEGUN;
    keeper.watch({ marker: prepared.marker, pgid: 0, born: "" });
    let child: ScriptChild;
    try {
      child = await startScript(prepared);
    } catch (error) {
      keeper.forget(prepared.marker);
      throw isOfSystem(error) ? new ScriptNotStarted(describeFailure(error, order), { cause: error }) : error;
    }
    const pid = child.pid ?? 0;
    const spawned: Spawned = { marker: prepared.marker, pgid: pid, born: bornOf(pid) };
    keeper.watch(spawned);
    const confined = prepared.settings !== null;
    const { gone, end } = await followScript({ child, spawned, order, redaction, confined });
    // One that could not be ended stays on the keeper's list.
    if (gone) keeper.forget(spawned.marker);
    else order.onStderr(`process group ${spawned.pgid} could not be ended`);
    return end;
  };

const NOT_BEGUN: ScriptEnd = {
  how: "cancelled",
  code: null,
  signal: null,
  stdout: Buffer.alloc(0),
  lastLine: null,
  opening: "",
};

const startScript = async (prepared: PreparedScript): Promise<ScriptChild> => {
  const { dataDir, env, settings } = prepared;
  // Bubblewrap has a better hold of what it starts than a brand.
  const { command, args } = settings === null ? await brandCommand(prepared) : prepared;
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd: dataDir,
      env,
      detached: true,
      shell: false,
      windowsHide: true,
      stdio: settings === null ? ["pipe", "pipe", "pipe"] : ["pipe", "pipe", "pipe", "pipe"],
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    const descriptor = child.stdio[3] as Writable | null | undefined;
    descriptor?.on("error", () => {});
    descriptor?.end(settings);
    child.once("error", reject);
    child.once("spawn", () => resolve(child));
  });
};

const isOfSystem = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && "syscall" in error;

const describeFailure = (error: NodeJS.ErrnoException, { command }: ScriptOrder): string => {
  const name = basename(command);
  if (error.code === "ENOENT") return `The program ${name} was not found; install it on the host's PATH.`;
  if (error.code === "EACCES") return `The program ${name} may not be run; make it executable.`;
  return `The program ${name} could not be started (${error.code ?? "unknown"}).`;
};
