/** A server as a process of its own, spoken to over its stdin and stdout. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Message, Wire } from "./played-host-for-tests.ts";

export interface SpawnedWire extends Wire {
  /** Resolves when the process is gone. */
  close(): Promise<void>;
}

export interface SpawnOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const spawnWire = ({ command, args, env = {} }: SpawnOrder): SpawnedWire => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
  const gone = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    receive: (hear) =>
      void createInterface({ input: child.stdout }).on("line", (line) => hear(JSON.parse(line) as Message)),
    async close() {
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await gone;
      clearTimeout(late);
    },
  };
};
