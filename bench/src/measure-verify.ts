/**
 * What it costs to verify the signed export of a whole log: a host on a filled log, which gives it its key, then the commands
 * that anybody would run.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startHost } from "./bailiwick.ts";
import { fillLog } from "./filled-log.ts";
import type { VerifyFinding } from "./findings.ts";
import { median } from "./median.ts";
import { HOST_COMMAND } from "./places.ts";
import { runProgram } from "./run-program.ts";
import type { Timing } from "./timing.ts";
import type { VerifyCost } from "./verify-export.ts";

const EVENTS = 100_000;

export const measureVerify = async (home: string, timing: Timing): Promise<VerifyFinding> => {
  const workDir = await fillLog({ events: Math.min(EVENTS, timing.events), replies: 0 });
  const { launched } = await startHost({ home, workDir });
  await launched.stop();
  const file = join(home, "export.jsonl");
  const order = ["evidence", "export", "--config", join(home, "bailiwick.json"), "--workdir", workDir, "--out", file];
  await promisify(execFile)("sh", [HOST_COMMAND, ...order], { cwd: home });
  const costs: VerifyCost[] = [];
  for (let i = 0; i < timing.turns; i++) costs.push(await runProgram<VerifyCost>("verify-export", [file]));
  const bad = costs.find(({ valid, tier }) => !valid || tier !== "signed");
  if (bad !== undefined) throw new Error(`the export does not verify: ${JSON.stringify(bad)}`);
  const micros = median(costs.map(({ cpuMicros, count }) => cpuMicros / count));
  return { events: costs[0]?.count ?? 0, microsPerEvent: micros };
};
