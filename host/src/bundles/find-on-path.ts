/** Where a program lies on a search path; null: nowhere. Relative folders do not count: whose they are depends on who asks. */
import { delimiter, isAbsolute, join } from "node:path";
import { isProgram } from "./is-program.ts";

export const findOnPath = (program: string, path: string): string | null =>
  path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program))
    .find(isProgram) ?? null;
