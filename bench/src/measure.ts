/**
 * Runs the load client once and takes its findings.
 */
import { execFile } from "node:child_process";
import type { Load, LoadJob } from "./load.ts";
import { program } from "./places.ts";

const SPARE_MS = 30_000;

export const measure = (job: LoadJob): Promise<Load> =>
  new Promise((resolve, reject) => {
    const timeout = job.warmUpMs + job.windowMs + SPARE_MS;
    const options = { timeout, killSignal: "SIGKILL" as const };
    const client = execFile(
      process.execPath,
      [program("load-client"), JSON.stringify(job)],
      options,
      (error, stdout, stderr) => {
        process.off("exit", kill);
        if (error !== null) {
          reject(new Error(stderr.trim() || `the load client ended early: ${error.message.slice(0, 200)}`));
          return;
        }
        const load = JSON.parse(stdout) as Load;
        if (load.calls > 0 || load.wrong > 0) resolve(load);
        else reject(new Error("no call was answered in the window"));
      },
    );
    const kill = (): boolean => client.kill("SIGKILL");
    process.once("exit", kill);
  });
