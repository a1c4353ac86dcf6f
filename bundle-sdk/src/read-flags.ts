/** The flags of `open` as a number, so that more can be added to them. */
import { constants } from "node:fs";

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY } = constants;

const WORDS: ReadonlyMap<string, number> = new Map([
  ["r", O_RDONLY],
  ["rs", O_RDONLY | O_SYNC],
  ["r+", O_RDWR],
  ["rs+", O_RDWR | O_SYNC],
  ["w", O_WRONLY | O_CREAT | O_TRUNC],
  ["wx", O_WRONLY | O_CREAT | O_TRUNC | O_EXCL],
  ["w+", O_RDWR | O_CREAT | O_TRUNC],
  ["wx+", O_RDWR | O_CREAT | O_TRUNC | O_EXCL],
  ["a", O_WRONLY | O_CREAT | O_APPEND],
  ["ax", O_WRONLY | O_CREAT | O_APPEND | O_EXCL],
  ["as", O_WRONLY | O_CREAT | O_APPEND | O_SYNC],
  ["a+", O_RDWR | O_CREAT | O_APPEND],
  ["ax+", O_RDWR | O_CREAT | O_APPEND | O_EXCL],
  ["as+", O_RDWR | O_CREAT | O_APPEND | O_SYNC],
]);

export const readFlags = (flags: string | number): number => {
  const read = typeof flags === "number" ? flags : WORDS.get(flags);
  if (read === undefined)
    throw new TypeError(`"${flags}" are no flags to open a file with; use one such as "r" or "wx"`);
  return read;
};
