/** `bailiwick bundle status [name]`: the health of each bundle, and why one is not well. */
import { nearest } from "@bailiwick/contract";
import type { BundleSeen } from "../kernel/bundle-admin.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";
import { timeText } from "./time-text.ts";

export const runBundleStatus: RunCommand = (context) => {
  const [name] = context.args;
  return reach(context, name === undefined ? "all" : { provider: name }, async (host) => {
    const all = await host.bundles.list();
    const rows = name === undefined ? all : all.filter((row) => row.name === name);
    if (name !== undefined && rows.length === 0) throw unknown(name, all);
    if (context.json) context.terminal.raw(`${JSON.stringify({ bundles: rows }, null, 2)}\n`);
    else show(context, rows);
    return EXIT.done;
  });
};

const HEAD = [
  "bundle",
  "state",
  "health",
  "up",
  "restarts",
  "tools",
  "held",
  "trust",
  "sandbox",
  "version",
  "last end",
];

const show = ({ terminal }: CommandContext, rows: readonly BundleSeen[]): void => {
  if (rows.length === 0) {
    terminal.note("There are no bundles. Find one: bailiwick bundle search <words>, then: bailiwick bundle add <name>");
    return;
  }
  const cells = rows.map((row) => [
    row.name,
    row.status,
    row.health,
    row.status === "running" ? timeText(row.uptimeMs) : "–",
    String(row.restartsInWindow),
    String(row.toolCount),
    String(row.heldTools),
    row.trustScore === null ? "–" : String(row.trustScore),
    row.sandbox ?? "–",
    row.version ?? "–",
    row.lastExit ?? "–",
  ]);
  const paint = (cell: string, column: number, row: number): string => {
    if (row === 0) return terminal.paint.dim(cell);
    const isUnwell = (column === 1 && cell !== "running") || (column === 2 && cell !== "ok");
    return isUnwell ? terminal.paint.yellow(cell) : cell;
  };
  for (const line of renderTable([HEAD, ...cells], { width: terminal.width, paint })) terminal.out(line);
  for (const row of rows) showTrouble(terminal, row);
};

const showTrouble = (terminal: CommandContext["terminal"], row: BundleSeen): void => {
  const { name, reason, lastError, next, heldTools, warnings } = row;
  const trouble = reason ?? (row.health === "ok" ? null : lastError);
  if (trouble !== null && trouble !== undefined) terminal.note(`${name}: ${trouble}`);
  if (next !== undefined) terminal.note(`→ ${name}: ${next}`);
  for (const warning of warnings) terminal.note(terminal.notePaint.yellow(`${name}: ${warning}`));
  if (heldTools > 0) terminal.note(`→ ${name}: see what changed, and accept it: bailiwick bundle accept ${name}`);
};

const unknown = (name: string, all: readonly BundleSeen[]): Refusal => {
  const names = all.map((row) => row.name);
  const guess = nearest(name, names, 2);
  return new Refusal("not_found", {
    message: `There is no bundle "${name.slice(0, 64)}".`,
    next: guess === null ? "List the bundles with: bailiwick bundle list" : `Did you mean "${guess}"?`,
  });
};
