/** Makes sure that evidence is taken out on purpose, and says why. */
import { askYesNo, isAtTerminal } from "./ask-person.ts";
import type { CommandContext } from "./command.ts";
import { isSet, textFlag } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

/** The reason that was given; null: the person does not want it after all, and was told that nothing happened. */
export const confirmRemoval = async (context: CommandContext, what: string): Promise<string | null> => {
  const reason = textFlag(context, "reason");
  if (reason === undefined) throw new UsageError("The reason is recorded.", "Repeat the command with --reason <text>");
  if (isSet(context, "yes")) return reason;
  if (!isAtTerminal(context)) {
    throw new UsageError("Nobody is there to be asked.", "It cannot be undone; repeat the command with --yes");
  }
  if (await askYesNo(context, `Take out ${what} for good?`)) return reason;
  context.terminal.note("Nothing was taken out.");
  return null;
};
