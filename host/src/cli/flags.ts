/** Flags of a read command line, by type. */
import type { CommandInput } from "./command.ts";
import { UsageError } from "./usage-error.ts";

export const textFlag = ({ flags }: CommandInput, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
};

export const listFlag = ({ flags }: CommandInput, name: string): readonly string[] | undefined => {
  const value = flags[name];
  return typeof value === "object" ? value : undefined;
};

export const isSet = ({ flags }: CommandInput, name: string): boolean => flags[name] === true;

export interface Range {
  readonly least: number;
  readonly most: number;
}

export const countFlag = (input: CommandInput, name: string, { least, most }: Range): number | undefined => {
  const text = textFlag(input, name);
  if (text === undefined) return undefined;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  throw new UsageError(`--${name} needs a whole number from ${least} to ${most} (found "${text}").`);
};
