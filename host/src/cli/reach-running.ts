/** Hands the running host to a command that makes no sense without one; where none runs, says so with exit code 1. */
import { attachRunning } from "../assembly/attach-running.ts";
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { CommandContext } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { inWorkspace, openConfig } from "./open-config.ts";

const MESSAGE = "No host is running for this work directory";
const REMEDY = "bailiwick serve";

export const reachRunning = async (
  context: CommandContext,
  use: (host: ReachedHost) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const { terminal, json } = context;
  const host = await attachRunning(openConfig(context).workDir, inWorkspace(context).workspace);
  if (host !== null) return use(host);
  if (json) terminal.raw(`${JSON.stringify({ error: "not_ready", message: `${MESSAGE}.`, remedy: REMEDY })}\n`);
  terminal.note(`${terminal.notePaint.red(MESSAGE)}; start it: ${REMEDY}`);
  return EXIT.failed;
};
