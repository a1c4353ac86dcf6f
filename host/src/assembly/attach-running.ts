/** The host that runs for a work directory in another process, reached as its owner; null when none does. */
import { attachHost } from "./attach-host.ts";
import { findReachable } from "./find-reachable.ts";
import type { ReachedHost } from "./reached-host.ts";

export const attachRunning = async (workDir: string): Promise<ReachedHost | null> => {
  const host = await findReachable(workDir);
  return host && attachHost(host);
};
