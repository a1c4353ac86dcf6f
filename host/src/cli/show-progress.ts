/**
 * Shows how far an install is: on a terminal one line that moves, elsewhere one line for each step, so that a log has the
 * steps and not their bytes.
 */
import type { InstallProgress } from "../kernel/bundle-admin.ts";
import { progressLine } from "./progress-line.ts";
import type { Terminal } from "./terminal.ts";

export const showProgress = (
  terminal: Pick<Terminal, "note" | "passing" | "noteInteractive">,
): ((progress: InstallProgress) => void) => {
  let step = "";
  return (progress) => {
    const { message, total } = progress;
    if (terminal.noteInteractive) terminal.passing(progressLine(progress));
    else if (message !== step)
      terminal.note(progressLine({ message, ...(total !== undefined && { bytes: 0, total }) }));
    step = message;
  };
};
