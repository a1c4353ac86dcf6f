/** How messages to the agent ended, for scripts. Pure. */
import type { Refusal } from "../kernel/refusal.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";

/** Of a run that ended without a result, or that there never was. */
export const chatRefusalCode = ({ kind, row }: Refusal): ExitCode => {
  if (row.outcome === "indeterminate") return EXIT.unknown;
  if (kind === "model_unconfigured") return EXIT.usage;
  if (kind === "approval_pending") return EXIT.pending;
  return kind === "model_failed" || kind === "cancelled" ? EXIT.failed : EXIT.refused;
};

/** Of one message after another: an unknown outcome is never outweighed, nor a failure by what went well after it. */
export const joinExitCodes = (before: ExitCode, last: ExitCode): ExitCode => {
  if (before === EXIT.unknown || last === EXIT.unknown) return EXIT.unknown;
  if (last !== EXIT.done && last !== EXIT.pending) return last;
  return before === EXIT.done || before === EXIT.pending ? last : before;
};
