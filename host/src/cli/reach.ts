/** Opens the host for one command, hands it over, and ends what was started for it, however the command ends. */
import { reachHost, type ReachHostOptions } from "../assembly/reach-host.ts";
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { CommandContext } from "./command.ts";
import { inWorkspace, openConfig } from "./open-config.ts";
import { isSet } from "./flags.ts";

export const reach = async <T>(
  context: CommandContext,
  need: ReachHostOptions["need"],
  use: (host: ReachedHost) => Promise<T>,
): Promise<T> => {
  const { terminal } = context;
  const host = await reachHost({
    loaded: openConfig(context),
    env: { ...context.env },
    ...inWorkspace(context),
    need,
    report: (error) => {
      if (isSet(context, "debug")) terminal.note(String(error instanceof Error ? error.stack : error));
    },
    onWait: (names) => terminal.note(terminal.notePaint.dim(`No host is running; starting ${names.join(", ")} …`)),
  });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
};
