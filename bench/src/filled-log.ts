/**
 * A work directory whose evidence log is already long, made once and kept: filling takes longer than measuring. Hosts that
 * run on it make it longer still, which does not matter.
 */
import { execFile } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { program, SCRATCH } from "./places.ts";

export const fillLog = async (events: number): Promise<string> => {
  const workDir = join(SCRATCH, `log-of-${events}`);
  const done = join(workDir, "filled");
  if (existsSync(done)) return workDir;
  rmSync(workDir, { recursive: true, force: true });
  process.stderr.write(
    `  filling a log with ${events.toLocaleString("en")} events, kept in .bench for the next run …\n`,
  );
  const filling = promisify(execFile)(process.execPath, [program("fill-log"), workDir, String(events)]);
  const kill = (): boolean => filling.child.kill("SIGKILL");
  process.once("exit", kill);
  await filling;
  process.off("exit", kill);
  writeFileSync(done, "");
  return workDir;
};
