/** `bailiwick key list`: the named keys; secrets are not kept and cannot be shown. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";

export const runKeyList: RunCommand = (context) =>
  reach(context, "none", async (host) => {
    const { terminal } = context;
    const rows = await host.keys.list();
    if (context.json) {
      terminal.raw(`${JSON.stringify({ keys: rows }, null, 2)}\n`);
      return EXIT.done;
    }
    if (rows.length === 0) {
      terminal.note("There are no named keys, only the owner's. Make one: bailiwick key create --name <name>");
      return EXIT.done;
    }
    const cells = rows.map((row) => [
      row.name,
      row.revokedAt === null ? "active" : `revoked ${row.revokedAt.slice(0, 10)}`,
      row.for === null ? row.as : `${row.as} for ${row.for}`,
      row.scopes === null ? "every tool" : row.scopes.join(" "),
      row.permissions.join(" ") || "–",
      row.createdAt.slice(0, 10),
    ]);
    const table = [["name", "state", "who", "tools", "permissions", "made"], ...cells];
    const paint = (cell: string, _column: number, row: number): string => (row === 0 ? terminal.paint.dim(cell) : cell);
    for (const line of renderTable(table, { width: terminal.width, paint })) terminal.out(line);
    return EXIT.done;
  });
