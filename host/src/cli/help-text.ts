/** What `--help` prints, for everything, a group or one command. Pure. */
import type { Command, Flag } from "./command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "./commands.ts";
import { renderTable } from "./table.ts";

const UNCUT = Number.POSITIVE_INFINITY;

export const helpText = (topic: string | null): string => {
  if (topic === null) return overview();
  const command = COMMANDS.find(({ name }) => name === topic);
  return command ? describe(command) : describeGroup(topic);
};

const overview = (): string =>
  [
    "Bailiwick: many MCP servers, one governed workspace, evidence of every call.",
    "",
    "Usage: bailiwick <command> [flags]",
    "",
    ...listCommands(COMMANDS),
    "",
    "Flags of every command:",
    ...listFlags(GLOBAL_FLAGS),
    "",
    "More of one command: bailiwick <command> --help",
  ].join("\n");

const describeGroup = (group: string): string =>
  [
    `Usage: bailiwick ${group} <command> [flags]`,
    "",
    ...listCommands(COMMANDS.filter(({ name }) => name.startsWith(`${group} `))),
    "",
    `More of one command: bailiwick ${group} <command> --help`,
  ].join("\n");

const describe = (command: Command): string => {
  const own = listFlags(command.flags);
  return [
    `bailiwick ${command.name}: ${command.summary}`,
    "",
    `Usage: bailiwick ${command.name} ${command.usage}`.trimEnd() + (own.length > 0 ? " [flags]" : ""),
    ...(own.length > 0 ? ["", "Flags:", ...own] : []),
    "",
    "Flags of every command:",
    ...listFlags(GLOBAL_FLAGS),
    ...(command.more.length > 0 ? ["", ...command.more] : []),
  ].join("\n");
};

const listCommands = (commands: readonly Command[]): string[] =>
  renderTable(
    commands.map(({ name, summary }) => [`  ${name}`, summary]),
    { width: UNCUT },
  );

const listFlags = (flags: Readonly<Record<string, Flag>>): string[] =>
  renderTable(
    Object.entries(flags).map(([name, flag]) => {
      const short = flag.short === undefined ? "" : `-${flag.short}, `;
      const value = flag.value === undefined ? "" : ` <${flag.value}>`;
      return [`  ${short}--${name}${value}`, flag.help];
    }),
    { width: UNCUT },
  );
