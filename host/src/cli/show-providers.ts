/** Tells of every provider as it comes up, fails or is restarted, until told to stop. */
import type { Host, ProviderRow } from "../assembly/host.ts";
import type { CommandContext } from "./command.ts";
import { countTools, describeProvider } from "./provider-line.ts";
import { createProviderWatch } from "./provider-watch.ts";

export const showProviders = (context: CommandContext, host: Host): (() => void) => {
  const watch = createProviderWatch();
  const look = (): void => {
    const rows = host.providers();
    for (const row of watch.look(rows)) show(context, row);
    if (watch.settled(rows) && !context.json) context.terminal.out(summarise(rows));
  };
  look();
  return host.onProviderChange(look);
};

const show = ({ terminal, json }: CommandContext, row: ProviderRow): void => {
  const { name, status, tools } = row;
  if (json) {
    const event = { event: "provider", name, state: status.state, tools };
    const why = {
      ...(status.reason === null ? {} : { reason: status.reason }),
      ...(status.next === null ? {} : { next: status.next }),
    };
    terminal.raw(`${JSON.stringify({ ...event, ...why })}\n`);
  } else {
    terminal.out(describeProvider(row, terminal.paint));
  }
};

const summarise = (rows: readonly ProviderRow[]): string => {
  const up = rows.filter(({ status }) => status.state === "running");
  const tools = countTools(up.reduce((sum, row) => sum + row.tools, 0));
  const count = rows.length === 1 ? "1 bundle" : `${rows.length} bundles`;
  if (up.length === rows.length) return `Ready: ${count}, ${tools}. List them: bailiwick tools`;
  return `${up.length} of ${count} up, ${tools}. What keeps the others: bailiwick doctor`;
};
