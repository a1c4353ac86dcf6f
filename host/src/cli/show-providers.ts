/** Tells of every bundle as it comes up, fails or is restarted, until told to stop. What is part of the host always runs. */
import { RESERVED_PROVIDER_NAMES } from "@bailiwick/contract";
import type { Host, ProviderRow } from "../assembly/host.ts";
import type { CommandContext } from "./command.ts";
import { countTools, describeProvider } from "./provider-line.ts";
import { createProviderWatch } from "./provider-watch.ts";

export const showProviders = (context: CommandContext, host: Host): (() => void) => {
  const watch = createProviderWatch();
  const look = (): void => {
    const all = host.providers();
    const bundles = all.filter(({ name }) => !RESERVED_PROVIDER_NAMES.has(name));
    for (const row of watch.look(bundles)) show(context, row);
    if (watch.settled(bundles) && !context.json) context.terminal.out(summarise(bundles, all));
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

/** Of the bundles, with the tools of everything that runs, because `bailiwick tools` lists those. */
const summarise = (bundles: readonly ProviderRow[], all: readonly ProviderRow[]): string => {
  const up = bundles.filter(isUp);
  const tools = countTools(all.filter(isUp).reduce((sum, row) => sum + row.tools, 0));
  const count = bundles.length === 1 ? "1 bundle" : `${bundles.length} bundles`;
  if (up.length === bundles.length) return `Ready: ${count}, ${tools}. List them: bailiwick tools`;
  return `${up.length} of ${count} up, ${tools}. What keeps the others: bailiwick doctor`;
};

const isUp = ({ status }: ProviderRow): boolean => status.state === "running";
