/** SIGHUP has the host read its configuration again, as daemons do; when it means that the terminal is gone, it stops. */
import { closeSync, openSync } from "node:fs";
import type { Host } from "../assembly/host.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { CommandContext } from "./command.ts";
import { describeReload } from "./run-reload.ts";

/** Whether a signal ends `serve`. */
export const endsServe = ({ terminal }: CommandContext, signal: NodeJS.Signals): boolean =>
  signal !== "SIGHUP" || (terminal.interactive && isTerminalGone());

const isTerminalGone = (): boolean => {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return false;
  } catch {
    return true;
  }
};

/** Returns what ends it. */
export const reloadOnHangUp = (context: CommandContext, host: Pick<Host, "bundles">): (() => void) => {
  const onHangUp = (): void => {
    if (!endsServe(context, "SIGHUP")) void reload(context, host);
  };
  process.on("SIGHUP", onHangUp);
  return () => process.off("SIGHUP", onHangUp);
};

const reload = async ({ terminal, json }: CommandContext, { bundles }: Pick<Host, "bundles">): Promise<void> => {
  try {
    const reloaded = await bundles.reload();
    if (json) terminal.raw(`${JSON.stringify({ event: "reloaded", ...reloaded })}\n`);
    else for (const line of describeReload(reloaded)) terminal.out(line);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (json) terminal.raw(`${JSON.stringify({ event: "rejected", message })}\n`);
    terminal.note(terminal.notePaint.red(message));
    if (error instanceof Refusal) terminal.note(`→ ${error.next}`);
  }
};
