/** `bailiwick key create`: a named key, whose secret is shown this once. */
import type { NewKey } from "../kernel/key.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { listFlag, textFlag } from "./flags.ts";
import { describeKey } from "./key-row.ts";
import { reach } from "./reach.ts";
import { UsageError } from "./usage-error.ts";

export const runKeyCreate: RunCommand = (context) => {
  const key = readKey(context);
  return reach(context, "none", async (host) => {
    const { terminal } = context;
    const { secret, row } = await host.keys.create(key);
    if (context.json) {
      terminal.raw(`${JSON.stringify({ secret, key: row }, null, 2)}\n`);
      return EXIT.done;
    }
    terminal.note(`The key ${row.name}: ${describeKey(row)}. Its secret is shown this once and kept nowhere:`);
    terminal.out(secret);
    terminal.note(`Send it as the header  Authorization: Bearer ${terminal.interactive ? secret : "<the key>"}`);
    terminal.note(`End it with: bailiwick key revoke ${row.name}`);
    return EXIT.done;
  });
};

const readKey = (context: CommandContext): NewKey => {
  const name = textFlag(context, "name");
  if (name === undefined) {
    throw new UsageError("A key needs a name, to be revoked by.", "Usage: bailiwick key create --name <name>");
  }
  const optional = {
    as: textFlag(context, "as"),
    for: textFlag(context, "for"),
    scopes: listFlag(context, "scope"),
    permissions: listFlag(context, "permission"),
    workspace: textFlag(context, "workspace"),
  };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  return { name, ...given };
};
