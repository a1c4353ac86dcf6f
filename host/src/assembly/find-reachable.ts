/** Where the running host of a work directory is, and the owner's key for it; null when none runs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Reachable } from "./ask-host.ts";
import { findRunningHost } from "./running-host.ts";

export const findReachable = async (workDir: string): Promise<Reachable | null> => {
  const running = await findRunningHost(workDir);
  if (running === null) return null;
  const key = await readFile(join(workDir, "owner.key"), "utf8").catch(() => null);
  return { origin: running.origin, key: key?.trim() ?? null };
};
