/** `bailiwick tools [query]`: the surface as a table. */
import type { ProviderRow } from "../assembly/host.ts";
import type { ToolRow } from "../kernel/surface.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { describeProvider } from "./provider-line.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";

export const runTools: RunCommand = (context) =>
  reach(context, "all", async (host) => {
    const query = context.args[0];
    const rows = await host.tools(query);
    const providers = await host.providers();
    if (context.json) context.terminal.raw(`${JSON.stringify({ tools: rows }, null, 2)}\n`);
    else showTools(context, rows, providers);
    return EXIT.done;
  });

const firstLine = (text: string): string =>
  text
    .trimStart()
    .split(/[\r\n]/, 1)[0]
    ?.trimEnd() ?? "";

const showTools = (context: CommandContext, rows: readonly ToolRow[], providers: readonly ProviderRow[]): void => {
  const { terminal, args } = context;
  const { paint } = terminal;
  const cells = rows.map((row) => [row.name, row.state, firstLine(row.reason ?? row.description ?? row.title ?? "")]);
  const lines = renderTable([["tool", "state", "description"], ...cells], {
    width: terminal.width,
    paint: (cell, column, row) => {
      if (row === 0) return paint.dim(cell);
      if (column === 0) return paint.bold(cell);
      return column === 1 && cell !== "invokable" ? paint.yellow(cell) : cell;
    },
  });
  if (rows.length > 0) for (const line of lines) terminal.out(line);
  else terminal.note(sayNone(args[0]));
  for (const provider of providers) {
    if (provider.status.state !== "running") terminal.note(describeProvider(provider, terminal.notePaint));
  }
};

const sayNone = (query: string | undefined): string =>
  query === undefined ? "There are no tools yet." : `No tool fits "${query}". All of them: bailiwick tools`;
