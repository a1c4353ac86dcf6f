/**
 * For tests: a real process in the shape that the stdio leg expects, without supervision.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ConnectionLimits, ServerProcess } from "../connection.ts";

export interface TestProcess extends ServerProcess {
  readonly child: ChildProcess;
  /** What came over stdout that was no message. */
  readonly noted: string[];
}

export const LIMITS: ConnectionLimits = {
  concurrency: 32,
  queue: 256,
  timeoutMs: 60_000,
  maxTimeoutMs: 1_800_000,
  maxMessageBytes: 67_108_864,
};

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));

export const packageBin = (name: string): string =>
  fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url));

export const startProcess = (args: readonly string[]): TestProcess => {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  const noted: string[] = [];
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`));
  });
  return {
    child,
    noted,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    noteOutput: (line) => void noted.push(line),
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
};
