/** The host that runs for a work directory in another process, reached as its owner; null when none does. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { attachHost } from "./attach-host.ts";
import type { ReachedHost } from "./reached-host.ts";
import { findRunningHost } from "./running-host.ts";

export const attachRunning = async (workDir: string): Promise<ReachedHost | null> => {
  const running = await findRunningHost(workDir);
  if (running === null) return null;
  const key = await readFile(join(workDir, "owner.key"), "utf8").catch(() => null);
  return attachHost({ origin: running.origin, key: key?.trim() ?? null });
};
