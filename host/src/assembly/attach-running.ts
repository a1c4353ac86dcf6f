/** The host that runs for a work directory in another process, reached as its owner; null when none does. */
import { attachHost } from "./attach-host.ts";
import { findReachable } from "./find-reachable.ts";
import type { ReachedHost } from "./reached-host.ts";

/** In the given workspace; without one in the owner's own. */
export const attachRunning = async (workDir: string, workspace?: string): Promise<ReachedHost | null> => {
  const host = await findReachable(workDir);
  return host && attachHost({ ...host, ...(workspace !== undefined && { workspace }) });
};
