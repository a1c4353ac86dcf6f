/** The connection to a running host is gone. Only one that was never made is known to have done nothing. */
import { Refusal } from "../kernel/refusal.ts";

export interface LostWords {
  /** What had not happened when it went: `it answered`. */
  readonly before: string;
  /** What is not to be repeated blindly: `anything`. */
  readonly repeated: string;
}

export const lostHost = (origin: string, error: Error, { before, repeated }: LostWords): Refusal => {
  const code = (error as NodeJS.ErrnoException).code ?? error.message;
  if (code === "ECONNREFUSED") {
    return new Refusal("not_ready", {
      message: `The host at ${origin} does not accept connections any more; nothing was sent.`,
      next: "Start it again: bailiwick serve",
    });
  }
  return new Refusal("indeterminate", {
    message: `The connection to the host at ${origin} ended before ${before} (${code}); it may have acted.`,
    next: `See what it recorded before you repeat ${repeated}: bailiwick evidence tail`,
  });
};
