/** What a command is: how it is typed, what help says of it, and where its code lies. */
import type { ExitCode } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";

export interface Flag {
  /** What stands for the value in help; a flag without it is a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  readonly help: string;
}

export type FlagValue = string | boolean | readonly string[];

/** The command line, read. */
export interface CommandInput {
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly args: readonly string[];
}

export interface CommandContext extends CommandInput {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly json: boolean;
  /** What `--help` prints. */
  readonly help: () => string;
}

export type RunCommand = (context: CommandContext) => Promise<ExitCode>;

export interface Command {
  /** As typed: `serve`, `key create`. */
  readonly name: string;
  readonly summary: string;
  /** Its arguments, as help shows them. */
  readonly usage: string;
  /** How many it takes at least and at most. */
  readonly args: readonly [number, number];
  readonly flags: Readonly<Record<string, Flag>>;
  /** Said below the flags: what is not obvious, and examples. */
  readonly more: readonly string[];
  /** Loads its code only when it runs, so that no command pays for another. */
  readonly load: () => Promise<RunCommand>;
}
