/**
 * Starts the bench's processes and ends them: one by one, or all at once when the bench is interrupted. Ending asks first
 * (SIGTERM), then kills what is left of the tree.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { isAlive, type ProcessMark, readTree } from "./process-tree.ts";

export interface LaunchOptions {
  /** Default: this Node. */
  readonly command?: string | undefined;
  readonly args: readonly string[];
  /** The process's own HOME and configuration directories: nothing of the person who runs the bench is read. */
  readonly home: string;
  readonly log: string;
}

export interface Launched {
  readonly pid: number;
  /** False once it has ended. */
  running(): boolean;
  /** The end of what it printed, for a message. */
  lastWords(): string;
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
const all = new Set<Launched>();
let closing = false;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until none of them is left; kills what is still there after `ms`. */
const outlast = async (processes: readonly ProcessMark[], ms: number): Promise<void> => {
  const until = Date.now() + ms;
  while (processes.some(isAlive) && Date.now() < until) await pause(10);
  for (const one of processes.filter(isAlive)) process.kill(one.pid, "SIGKILL");
  while (processes.some(isAlive)) await pause(10);
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const tree = readTree(child.pid);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  if (tree !== null) await outlast(tree.processes, GRACE_MS);
  await exited;
};

export const launch = (options: LaunchOptions): Launched => {
  if (closing) throw new Error("the bench is ending");
  mkdirSync(options.home, { recursive: true });
  mkdirSync(dirname(options.log), { recursive: true });
  const log = openSync(options.log, "w");
  const child = spawn(options.command ?? process.execPath, options.args, {
    cwd: options.home,
    stdio: ["ignore", log, log],
    // Its own group: a Ctrl-C reaches the bench alone, which then ends everything in order.
    detached: true,
    env: {
      PATH: process.env["PATH"],
      HOME: options.home,
      XDG_CONFIG_HOME: `${options.home}/config`,
      XDG_DATA_HOME: `${options.home}/data`,
      XDG_STATE_HOME: `${options.home}/state`,
      NODE_ENV: "production",
    },
  });
  closeSync(log);
  const launched: Launched = {
    pid: child.pid ?? 0,
    running: () => child.exitCode === null && child.signalCode === null,
    lastWords: () => readFileSync(options.log, "utf8").trim().split("\n").slice(-5).join(" | ").slice(-600),
    stop: async () => {
      await end(child);
      all.delete(launched);
    },
  };
  all.add(launched);
  return launched;
};

/** Ends everything, and whatever still runs of the bench starts nothing more. */
export const closeDown = async (): Promise<void> => {
  closing = true;
  await stopAll();
};

export const stopAll = async (): Promise<void> => {
  await Promise.all([...all].map((one) => one.stop()));
};
