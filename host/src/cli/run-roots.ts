/** `bailiwick roots list|resolve`: the folders that tools may work in, and what a path means in them. */
import type { RootsSeen } from "../kernel/roots-seen.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

export const runRootsList: RunCommand = (context) =>
  reach(context, "none", async (host) => {
    const roots = await host.roots.list();
    if (context.json) context.terminal.raw(`${JSON.stringify(roots, null, 2)}\n`);
    else showRoots(context, roots);
    return EXIT.done;
  });

export const runRootsResolve: RunCommand = (context) =>
  reach(context, "none", async (host) => {
    const [path = ""] = context.args;
    const resolved = await host.roots.resolve(path);
    const { terminal, json } = context;
    if (json) terminal.raw(`${JSON.stringify({ path, resolved }, null, 2)}\n`);
    // A script needs the name as it is on disk.
    else if (terminal.interactive) terminal.out(visibleText(resolved));
    else terminal.raw(`${resolved}\n`);
    return EXIT.done;
  });

const showRoots = ({ terminal }: CommandContext, { profile, roots }: RootsSeen): void => {
  if (roots.length === 0) {
    terminal.note(
      'There are no roots. Add one to bailiwick.json: "capabilities": {"roots": {"list": [{"name", "path"}]}}',
    );
    return;
  }
  const cells = roots.map(({ name, uri, usable, reason = "" }) =>
    [name ?? "–", usable ? "usable" : "unusable", uri, reason].map(visibleText),
  );
  const paint = (cell: string, column: number, row: number): string => {
    if (row === 0) return terminal.paint.dim(cell);
    return column === 1 && cell !== "usable" ? terminal.paint.yellow(cell) : cell;
  };
  const table = [["root", "state", "uri", "why"], ...cells];
  for (const line of renderTable(table, { width: terminal.width, paint })) terminal.out(line);
  terminal.note(
    profile === "strict"
      ? "Profile strict: an absolute path is taken only if it lies inside a root."
      : "Profile permissive: absolute paths pass as they are.",
  );
};
