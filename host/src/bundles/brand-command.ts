/**
 * The command that starts a program with a brand (`brand-of.ts`) on it and on all that comes of it. A limit is handed on at
 * every fork and exec, shows in `/proc`, and is not raised again without privileges; a group, a variable, a parent and open
 * files a daemon gives up as a matter of course. It is no wall: a program that sets this very limit lower, to get away, does.
 *
 * `prlimit` sets it and then becomes the program, with the same pid, descriptors and variables. Where there is nothing to
 * brand with, the command stays as it is.
 */
import { delimiter, resolve } from "node:path";
import { findBrander, limitTo } from "./find-brander.ts";
import { isProgram } from "./is-program.ts";

export interface BrandCommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly dataDir: string;
  readonly marker: string;
}

export type BrandedCommand = Pick<BrandCommandOptions, "command" | "args">;

/** Where a program is looked for when there is no PATH. */
const DEFAULT_PATH = "/bin:/usr/bin";

export const brandCommand = async (options: BrandCommandOptions): Promise<BrandedCommand> => {
  const { command, args, marker } = options;
  // One that cannot be run fails by itself, and then the reason is about it and not about prlimit.
  if (!canRun(options)) return { command, args };
  const found = await findBrander();
  if (!found.ok) return { command, args };
  return { command: found.brander.program, args: [limitTo(found.brander, marker), command, ...args] };
};

const canRun = ({ command, env, dataDir }: BrandCommandOptions): boolean => {
  if (command.includes("/")) return isProgram(resolve(dataDir, command));
  const folders = (env["PATH"] ?? DEFAULT_PATH).split(delimiter);
  return folders.some((folder) => isProgram(resolve(dataDir, folder, command)));
};
