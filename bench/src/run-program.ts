/**
 * Runs one of the bench's own programs to its end, in a process of its own, and takes what it printed as JSON.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { program } from "./places.ts";

export const runProgram = async <Printed>(name: string, args: readonly string[]): Promise<Printed> => {
  const running = promisify(execFile)(process.execPath, [program(name), ...args]);
  const kill = (): boolean => running.child.kill("SIGKILL");
  process.once("exit", kill);
  try {
    return JSON.parse((await running).stdout) as Printed;
  } finally {
    process.off("exit", kill);
  }
};
