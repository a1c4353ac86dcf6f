/**
 * `bailiwick mcp`: the MCP door over stdio, for clients that can only start a process. Lines go to the running host of the
 * work directory, or else to one in this process. Nothing but protocol goes to stdout, a failure included.
 */
import type { Readable } from "node:stream";
import type { Host } from "../assembly/host.ts";
import { refuseUnavailable, type LoadedConfig } from "../assembly/load-config.ts";
import { relayStdio } from "../assembly/relay-stdio.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { isSet, textFlag } from "./flags.ts";
import { inWorkspace, openConfig } from "./open-config.ts";
import { showFailure } from "./show-failure.ts";
import { firstStopSignal } from "./stop-signals.ts";

export const runMcp: RunCommand = async (context) => {
  const { terminal } = context;
  try {
    const loaded = openConfig(context);
    return (await relay(context, loaded)) ?? (await runHere(context, loaded));
  } catch (error) {
    return showFailure(error, { terminal, debug: isSet(context, "debug"), json: false });
  } finally {
    // Whatever ended it, an input that is still open must not keep the process.
    stdinOf(context).destroy();
  }
};

/** Null: no host runs. */
const relay = async (context: CommandContext, { workDir }: LoadedConfig): Promise<ExitCode | null> => {
  const { terminal } = context;
  const provider = textFlag(context, "provider");
  const { workspace } = inWorkspace(context);
  const relayed = await relayStdio({ workDir, provider, workspace, input: stdinOf(context), output: process.stdout });
  if (relayed === null) return null;
  if (!relayed.lost) return EXIT.done;
  terminal.note(terminal.notePaint.red(`The host at ${relayed.origin} ended the connection.`));
  terminal.note(
    "→ Start it again: bailiwick serve. See what it recorded before you repeat a call: bailiwick evidence tail",
  );
  return EXIT.failed;
};

const runHere = async (context: CommandContext, loaded: LoadedConfig): Promise<ExitCode> => {
  refuseUnavailable(loaded);
  const host = await createHere(context, loaded);
  if (typeof host === "number") return host;
  const stopped = new AbortController();
  void firstStopSignal().then(() => stopped.abort());
  try {
    await host.start();
    const provider = textFlag(context, "provider");
    await host.stdio({ input: stdinOf(context), output: process.stdout, provider, signal: stopped.signal });
  } finally {
    await host.stop();
  }
  return EXIT.done;
};

/** A host may have come up since the first look; then it is the one to talk to. */
const createHere = async (context: CommandContext, loaded: LoadedConfig): Promise<Host | ExitCode> => {
  const { terminal } = context;
  const report = (error: unknown): void => {
    if (isSet(context, "debug")) terminal.note(String(error instanceof Error ? error.stack : error));
  };
  // Only who runs the host loads its rooms.
  const { createHost } = await import("../assembly/create-host.ts");
  try {
    return await createHost({ loaded, env: { ...context.env }, door: "cli", ...inWorkspace(context), report });
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "evidence_unavailable") throw error;
    const code = await relay(context, loaded);
    if (code !== null) return code;
    terminal.note(error.message);
    terminal.note("→ For several clients at once, run one host for all of them: bailiwick serve");
    return EXIT.refused;
  }
};

const stdinOf = ({ stdin }: CommandContext): Readable => stdin as Readable;
