/** `bailiwick reload`: the running host reads its configuration again. */
import type { Reloaded } from "../kernel/bundle-admin.ts";
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reachRunning } from "./reach-running.ts";

export const runReload: RunCommand = (context) =>
  reachRunning(context, async (host) => {
    const { terminal } = context;
    const reloaded = await host.bundles.reload();
    if (context.json) terminal.raw(`${JSON.stringify(reloaded, null, 2)}\n`);
    else for (const line of describeReload(reloaded)) terminal.out(line);
    for (const warning of reloaded.warnings) terminal.note(terminal.notePaint.yellow(`Warning: ${warning}`));
    return EXIT.done;
  });

export const describeReload = ({ added, removed, changed, needRestart }: Reloaded): string[] => {
  const parts = [
    ["Added", added],
    ["Removed", removed],
    ["Changed", changed],
    ["From the next start of the host on", needRestart],
  ] as const;
  const lines = parts.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${names.join(", ")}`);
  return lines.length === 0 ? ["Reloaded; no bundle is concerned."] : lines;
};
