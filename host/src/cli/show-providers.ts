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

/**
 * Of the bundles that are to run, as `serve` announced them, with the tools of everything that runs, because `bailiwick tools`
 * lists those.
 */
const summarise = (bundles: readonly ProviderRow[], all: readonly ProviderRow[]): string => {
  const wanted = bundles.filter(({ status }) => status.state !== "stopped");
  const off = bundles.length - wanted.length;
  const tools = countTools(all.filter(isUp).reduce((sum, row) => sum + row.tools, 0));
  const count = wanted.length === 1 ? "1 bundle" : `${wanted.length} bundles`;
  const facts = `${tools}${off === 0 ? "" : `, ${off} switched off`}`;
  const up = wanted.filter(isUp).length;
  if (up === wanted.length) return `Ready: ${count}, ${facts}. List them: bailiwick tools`;
  return `${up} of ${count} up, ${facts}. What keeps the others: bailiwick doctor`;
};

const isUp = ({ status }: ProviderRow): boolean => status.state === "running";
