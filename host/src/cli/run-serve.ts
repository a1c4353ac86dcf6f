/** `bailiwick serve`: listens first, then starts the bundles, tells what becomes of them, and ends cleanly on a signal. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { formatFinding } from "@bailiwick/contract";
import { createHost } from "../assembly/create-host.ts";
import { expectedBundles } from "../assembly/expected-bundles.ts";
import type { Host, Listening, ListenOptions } from "../assembly/host.ts";
import { giveBackMemory } from "../kernel/give-back-memory.ts";
import { isLoopback } from "../kernel/is-loopback.ts";
import { refuseUnavailable, type LoadedConfig } from "../assembly/load-config.ts";
import { findRunningHost } from "../assembly/running-host.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { countFlag, isSet, textFlag } from "./flags.ts";
import { openConfig } from "./open-config.ts";
import { endsServe, reloadOnHangUp } from "./reload-on-hang-up.ts";
import { showProviders } from "./show-providers.ts";
import { serveBlock } from "./serve-block.ts";
import { firstStopSignal } from "./stop-signals.ts";
import { UsageError } from "./usage-error.ts";

/** The doors take up to 11 s for calls in flight, then the bundles up to 15 s to end their processes. */
const STOP_MS = 30_000;

export const runServe: RunCommand = async (context) => {
  const { terminal } = context;
  const loaded = openConfig(context);
  refuseUnavailable(loaded);
  const options = readListenOptions(context, loaded);
  const keyFile = join(loaded.workDir, "owner.key");
  const isFirstStart = !existsSync(keyFile);
  const stopAsked = firstStopSignal((signal) => endsServe(context, signal));
  const host = await createHere(context, loaded);
  try {
    const listening = await listen(host, options, loaded);
    if (context.json) writeEvent(context, { event: "listening", ...listening, keyFile, pid: process.pid });
    else await showBlock(context, { loaded, host, listening, options, keyFile, isFirstStart });
    showWarnings(context, loaded, options.noAuth);
    const unwatch = showProviders(context, host);
    await host.start();
    flushCompileCache();
    giveBackMemory();
    const unhang = reloadOnHangUp(context, host);
    await stopAsked;
    unhang();
    unwatch();
    if (!context.json) terminal.out("Stopping …");
  } finally {
    await stopInTime(host);
  }
  if (context.json) writeEvent(context, { event: "stopped" });
  else terminal.out("Stopped.");
  return EXIT.done;
};

const listen = async (host: Host, options: Required<ListenOptions>, loaded: LoadedConfig): Promise<Listening> => {
  try {
    return await host.listen(options);
  } catch (error) {
    throw await explainListen(error, options, loaded);
  }
};

const writeEvent = ({ terminal }: CommandContext, event: object): void => terminal.raw(`${JSON.stringify(event)}\n`);

const readListenOptions = (context: CommandContext, loaded: LoadedConfig): Required<ListenOptions> => {
  const { http } = loaded.config;
  const host = textFlag(context, "host") ?? http.host;
  const noAuth = isSet(context, "no-auth");
  if (noAuth && !isLoopback(host)) {
    throw new UsageError(
      `--no-auth works on loopback only, and this host would listen on ${host}: whoever reaches it could call every tool.`,
      "Leave --no-auth out, or add --host 127.0.0.1",
    );
  }
  return { host, port: countFlag(context, "port", { least: 0, most: 65_535 }) ?? http.port, noAuth };
};

const createHere = async (context: CommandContext, loaded: LoadedConfig): Promise<Host> => {
  try {
    return await createHost({ loaded, env: { ...context.env }, report: (error) => reportError(context, error) });
  } catch (error) {
    const running = await findRunningHost(loaded.workDir);
    if (running === null) throw error;
    throw new UsageError(
      `Bailiwick already runs with the work directory ${loaded.workDir}: process ${running.pid}, at ${running.origin}.`,
      `Use that one, stop it (kill ${running.pid}), or give this one its own: --workdir <dir> --port <number>`,
    );
  }
};

const reportError = (context: CommandContext, error: unknown): void => {
  const text = error instanceof Error ? (isSet(context, "debug") ? error.stack : error.message) : String(error);
  context.terminal.note(context.terminal.notePaint.yellow(`Warning: ${text ?? ""}`));
};

const explainListen = async (
  error: unknown,
  options: Required<ListenOptions>,
  loaded: LoadedConfig,
): Promise<unknown> => {
  const { code, port: at } = error as NodeJS.ErrnoException & { port?: number };
  const chp = loaded.config.chp.listen;
  const isChp = chp !== undefined && at === chp.port && at !== options.port;
  const { host, port } = isChp ? chp : options;
  if (code === "EADDRINUSE") {
    const running = await findRunningHost(loaded.workDir);
    const who = running === null ? "another program" : `another Bailiwick (process ${running.pid})`;
    const next = isChp
      ? "Take another for chp.listen in the configuration."
      : "Take another: bailiwick serve --port 7500";
    return new UsageError(`Port ${port} on ${host} is in use by ${who}.`, next);
  }
  if (code === "EACCES") {
    return new UsageError(`Port ${port} may not be used by this account.`, "Take one above 1023: --port 7420");
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new UsageError(`${host} is no address of this machine.`, "Give one of its own: --host 127.0.0.1");
  }
  return error;
};

interface BlockParts {
  readonly loaded: LoadedConfig;
  readonly host: Host;
  readonly listening: Listening;
  readonly options: Required<ListenOptions>;
  readonly keyFile: string;
  readonly isFirstStart: boolean;
}

const showBlock = async ({ terminal }: CommandContext, parts: BlockParts): Promise<void> => {
  const { loaded, host, listening, options, keyFile, isFirstStart } = parts;
  // A log file is read by more people than a terminal, so the key is shown on a terminal only, and only when it is new.
  const key = isFirstStart && terminal.interactive ? (await readFile(keyFile, "utf8")).trim() : null;
  const block = serveBlock(
    {
      version: host.info.version,
      ...listening,
      noAuth: options.noAuth,
      loopback: isLoopback(options.host),
      keyFile,
      key,
      workDir: loaded.workDir,
      configFile: loaded.file,
      configPlace: join(loaded.baseDir, "bailiwick.json"),
      ...expectedBundles(loaded.config),
      pendingApprovals: (await host.approvals.list("pending")).length,
    },
    terminal.paint,
  );
  for (const line of block) terminal.out(line);
};

const showWarnings = (context: CommandContext, loaded: LoadedConfig, noAuth: boolean): void => {
  const { terminal } = context;
  const warnings = [...loaded.warnings, ...loaded.unavailable].map(formatFinding);
  const { host, allowedHosts, publicOrigin } = loaded.config.http;
  if (!isLoopback(textFlag(context, "host") ?? host) && allowedHosts.length === 0 && publicOrigin === undefined) {
    warnings.push(
      "Other machines are turned away until http.allowedHosts holds the name under which they reach this one.",
    );
  }
  if (loaded.config.policy.mode === "audit") {
    warnings.push('policy.mode is "audit": what the policy denies is recorded and runs all the same.');
  }
  if (noAuth) warnings.push("--no-auth: every program on this machine may call every tool. For test suites only.");
  for (const warning of warnings) terminal.note(terminal.notePaint.yellow(`Warning: ${warning}`));
};

const stopInTime = async (host: Host): Promise<void> => {
  const late = setTimeout(() => {
    process.stderr.write(`Not everything ended within ${STOP_MS / 1000} s; leaving it.\n`);
    process.exit(EXIT.failed);
  }, STOP_MS);
  await host.stop();
  clearTimeout(late);
};
