/** `bailiwick bundle start|stop|restart <name>`: asks the running host, waits for what becomes of it, and says so. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { BundleSeen } from "../kernel/bundle-admin.ts";
import { HostError } from "../kernel/host-error.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { countTools } from "./provider-line.ts";
import { reachRunning } from "./reach-running.ts";

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 100;
/** States that another one follows by itself. */
const PASSING: ReadonlySet<string> = new Set(["starting", "crashed"]);
const UP: ReadonlySet<string> = new Set(["running", ...PASSING]);

export const runBundleChange =
  (change: "start" | "stop" | "restart"): RunCommand =>
  (context) =>
    reachRunning(context, async (host) => {
      const { name } = await host.bundles[change](context.args[0] ?? "");
      const row = change === "stop" ? await look(host, name) : await settle(host, name);
      const isDone = change === "stop" ? !UP.has(row.status) : row.status === "running";
      if (context.json) context.terminal.raw(`${JSON.stringify({ bundle: row }, null, 2)}\n`);
      else show(context, row, isDone);
      return isDone ? EXIT.done : EXIT.failed;
    });

const look = async (host: ReachedHost, name: string): Promise<BundleSeen> => {
  const row = (await host.bundles.list()).find((each) => each.name === name);
  if (row === undefined) throw new HostError(`the host changed the bundle "${name}" and does not list it`);
  return row;
};

const settle = async (host: ReachedHost, name: string): Promise<BundleSeen> => {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const row = await look(host, name);
    if (!PASSING.has(row.status) || Date.now() >= end) return row;
    await sleep(LOOK_EVERY_MS);
  }
};

const show = ({ terminal }: CommandContext, row: BundleSeen, isDone: boolean): void => {
  const { name, status, toolCount, reason, next } = row;
  terminal.out(status === "running" ? `${name} is running, ${countTools(toolCount)}.` : `${name} is ${status}.`);
  if (isDone) return;
  if (reason !== undefined) terminal.note(terminal.notePaint.red(reason));
  if (next !== undefined) terminal.note(`→ ${next}`);
  if (status !== "refused") terminal.note(`→ What it wrote: bailiwick bundle logs ${name}`);
};
