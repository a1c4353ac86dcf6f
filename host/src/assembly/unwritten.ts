/** A file of somebody's could not be written: what the system said, and what to do. Anything else than that is thrown on. */
import { Refusal } from "../kernel/refusal.ts";

export const unwritten = (file: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Refusal || code === undefined) return error;
  return new Refusal("bad_request", {
    message: `${file} could not be written (${code}).`,
    next: "Get write access to it and its folder, and try again; what is done already is not done twice.",
  });
};
