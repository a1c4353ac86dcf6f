/** `bailiwick bundle list`: each bundle with its state, and below the table what to do about those that do not run. */
import type { BundleSeen } from "../kernel/bundle-admin.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";

export const runBundleList: RunCommand = (context) =>
  reach(context, "all", async (host) => {
    const rows = await host.bundles.list();
    if (context.json) context.terminal.raw(`${JSON.stringify({ bundles: rows }, null, 2)}\n`);
    else show(context, rows);
    return EXIT.done;
  });

const show = ({ terminal }: CommandContext, rows: readonly BundleSeen[]): void => {
  if (rows.length === 0) {
    terminal.note(
      "No bundle is installed. Find one: bailiwick bundle search <words>, then: bailiwick bundle add <name>",
    );
    return;
  }
  const cells = rows.map(({ name, status, health, toolCount, version, reason, warnings }) => [
    name,
    status,
    health,
    String(toolCount),
    version ?? "–",
    firstLine(reason ?? warnings[0] ?? ""),
  ]);
  const table = [["bundle", "state", "health", "tools", "version", "why"], ...cells];
  const paint = (cell: string, column: number, row: number): string => {
    if (row === 0) return terminal.paint.dim(cell);
    return column === 1 && cell !== "running" ? terminal.paint.yellow(cell) : cell;
  };
  for (const line of renderTable(table, { width: terminal.width, paint })) terminal.out(line);
  for (const { name, next } of rows) if (next !== undefined) terminal.note(`→ ${name}: ${next}`);
};

const firstLine = (text: string): string => text.split(/[\r\n]/, 1)[0] ?? "";
