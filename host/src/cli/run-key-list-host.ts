/** `bailiwick key list-host`: the keys this host signs and has signed its evidence with. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";

export const runKeyListHost: RunCommand = (context) =>
  reach(context, "none", async (host) => {
    const { terminal } = context;
    const keys = await host.hostKeys.list();
    if (context.json) {
      terminal.raw(`${JSON.stringify({ keys }, null, 2)}\n`);
      return EXIT.done;
    }
    const cells = keys.map((key) => [key.key_id, key.state, key.since.slice(0, 10), key.public_key, key.reason ?? ""]);
    const paint = (cell: string, _column: number, row: number): string => (row === 0 ? terminal.paint.dim(cell) : cell);
    const table = [["key", "state", "since", "public key", "reason"], ...cells];
    for (const line of renderTable(table, { width: terminal.width, paint })) terminal.out(line);
    return EXIT.done;
  });
