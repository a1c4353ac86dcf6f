/** How a command ended, for scripts. `evidence verify` uses 0 to 3 in its own sense. */
import type { Answer } from "../kernel/call.ts";

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  pending: 4,
  unknown: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A call that ended: the tool's own error is a failure, the host's "no" a refusal. */
export const exitCodeOf = (answer: Answer): ExitCode => {
  const { ending } = answer;
  if (ending.kind === "result") return ending.isError ? EXIT.failed : EXIT.done;
  if (ending.kind === "error" || ending.kind === "input") return EXIT.failed;
  if (ending.refusal.kind === "approval_pending") return EXIT.pending;
  return ending.refusal.row.outcome === "indeterminate" ? EXIT.unknown : EXIT.refused;
};
