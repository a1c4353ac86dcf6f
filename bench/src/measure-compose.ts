/** What discovery and making texts cost: documents of `capabilities://`, a batch, and many stored versions. */
import { join } from "node:path";
import { compareVersions } from "./compare-versions.ts";
import type { ComposeFinding } from "./findings.ts";
import { measureBatch } from "./measure-batch.ts";
import { measureReads } from "./measure-reads.ts";
import type { Timing } from "./timing.ts";

export const measureCompose = async (home: string, timing: Timing): Promise<ComposeFinding> => {
  const reads = await measureReads(join(home, "reads"), timing);
  const batch = await measureBatch(join(home, "batch"));
  const versions = await compareVersions(join(home, "versions"), timing);
  return { reads, batch, versions };
};
