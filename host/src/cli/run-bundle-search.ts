/** `bailiwick bundle search <words>`: what the registries have. One that cannot be reached is named and fails nothing. */
import type { BundleSearch } from "../kernel/bundle-admin.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { countFlag } from "./flags.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";

const LIMIT = 20;

export const runBundleSearch: RunCommand = (context) => {
  const limit = countFlag(context, "limit", { least: 1, most: 100 }) ?? LIMIT;
  return reach(context, "open", async (host) => {
    const found = await host.bundles.search(context.args.join(" "), limit);
    if (context.json) context.terminal.raw(`${JSON.stringify(found, null, 2)}\n`);
    else show(context, found);
    return EXIT.done;
  });
};

const show = ({ terminal }: CommandContext, { bundles, unreachable }: BundleSearch): void => {
  for (const { registry, reason } of unreachable) {
    terminal.note(terminal.notePaint.yellow(`${registry} could not be searched: ${reason}`));
  }
  if (bundles.length === 0) {
    terminal.note("Nothing was found. Try other words, or look at registries in bailiwick.json.");
    return;
  }
  const cells = bundles.map((found) => [
    found.name,
    found.version ?? "–",
    found.trustScore === null ? (found.certificationLevel ?? "–") : String(found.trustScore),
    found.installed ? "installed" : "",
    found.registry,
    firstLine(found.description ?? ""),
  ]);
  const paint = (cell: string, _column: number, row: number): string => (row === 0 ? terminal.paint.dim(cell) : cell);
  const table = [["bundle", "version", "trust", "", "registry", "description"], ...cells];
  for (const line of renderTable(table, { width: terminal.width, paint })) terminal.out(line);
  terminal.note("→ Install one: bailiwick bundle add <name>");
};

const firstLine = (text: string): string => text.split(/[\r\n]/, 1)[0] ?? "";
