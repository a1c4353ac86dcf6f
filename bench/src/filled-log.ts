/**
 * A work directory whose evidence log is already long, made once and kept: filling takes longer than measuring. Hosts that
 * run on it make it longer still, which does not matter. It is made anew when the answers in it would soon be too old to be
 * given again.
 */
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCRATCH } from "./places.ts";
import { runProgram } from "./run-program.ts";

export interface LogSize {
  readonly events: number;
  /** Calls whose answer is kept; the host keeps one for a day. */
  readonly replies: number;
}

const FRESH_MS = 12 * 60 * 60 * 1000;

export const fillLog = async ({ events, replies }: LogSize): Promise<string> => {
  const workDir = join(SCRATCH, `log-of-${events}-${replies}`);
  const done = join(workDir, "filled");
  if (existsSync(done) && (replies === 0 || Date.now() - statSync(done).mtimeMs < FRESH_MS)) return workDir;
  rmSync(workDir, { recursive: true, force: true });
  process.stderr.write(
    `  filling a log with ${events.toLocaleString("en")} events, kept in .bench for the next run …\n`,
  );
  await runProgram("fill-log", [workDir, String(events), String(replies)]);
  writeFileSync(done, "");
  return workDir;
};
