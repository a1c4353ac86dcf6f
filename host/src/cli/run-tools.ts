/** `bailiwick tools [query]`: the surface as a table, with the environment capabilities that a tool lacks. */
import type { ProviderRow } from "../assembly/host.ts";
import type { ToolRow } from "../kernel/surface.ts";
import { toolSeen } from "../kernel/tool-seen.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { declareCommand } from "./declare-command.ts";
import { EXIT } from "./exit-code.ts";
import { isSet } from "./flags.ts";
import { describeProvider } from "./provider-line.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

export const runTools: RunCommand = (context) =>
  reach(context, "all", async (host) => {
    const query = context.args[0];
    const rows = await host.tools(query, { satisfied: isSet(context, "satisfied") });
    const providers = await host.providers();
    if (context.json) context.terminal.raw(`${JSON.stringify({ tools: rows.map(toolSeen) }, null, 2)}\n`);
    else showTools(context, rows, providers);
    return EXIT.done;
  });

const firstLine = (text: string): string =>
  text
    .trimStart()
    .split(/[\r\n]/, 1)[0]
    ?.trimEnd() ?? "";

const textOf = ({ missing, reason, description, title }: ToolRow): string => {
  const text = firstLine(reason ?? description ?? title ?? "");
  return missing.length === 0 ? text : `(missing: ${missing.map(visibleText).join(", ")}) ${text}`.trimEnd();
};

const showTools = (context: CommandContext, rows: readonly ToolRow[], providers: readonly ProviderRow[]): void => {
  const { terminal, args } = context;
  const { paint } = terminal;
  const cells = rows.map((row) => [row.name, row.state, textOf(row)]);
  const lines = renderTable([["tool", "state", "description"], ...cells], {
    width: terminal.width,
    paint: (cell, column, row) => {
      if (row === 0) return paint.dim(cell);
      if (column === 0) return paint.bold(cell);
      return column === 1 && cell !== "invokable" ? paint.yellow(cell) : cell;
    },
  });
  if (rows.length > 0) for (const line of lines) terminal.out(line);
  else terminal.note(sayNone(args[0], isSet(context, "satisfied")));
  const missing = rows.flatMap((row) => row.missing);
  if (missing.length > 0) terminal.note(`→ Declare what is missing: ${declareCommand(missing)}`);
  for (const provider of providers) {
    if (provider.status.state !== "running") terminal.note(describeProvider(provider, terminal.notePaint));
  }
};

const sayNone = (query: string | undefined, satisfied: boolean): string => {
  if (query !== undefined) return `No tool fits "${query}". All of them: bailiwick tools`;
  return satisfied
    ? "There is no tool of which nothing is missing. All of them: bailiwick tools"
    : "There are no tools yet.";
};
