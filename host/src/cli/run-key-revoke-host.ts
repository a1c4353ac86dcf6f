/** `bailiwick key revoke-host <key id> --reason <text>`: says to everybody that a key of this host is not to be believed. */
import { askYesNo, isAtTerminal } from "./ask-person.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { isSet, textFlag } from "./flags.ts";
import { reach } from "./reach.ts";
import { UsageError } from "./usage-error.ts";

export const runKeyRevokeHost: RunCommand = (context) => {
  const [keyId = ""] = context.args;
  const reason = textFlag(context, "reason");
  const usage = "Usage: bailiwick key revoke-host <key id> --reason <text>";
  if (!/^[0-9a-f]{16}$/.test(keyId)) {
    throw new UsageError("A key id is 16 characters of 0-9 and a-f.", "See them: bailiwick key list-host");
  }
  if (reason === undefined) throw new UsageError("A revocation is published with its reason.", usage);
  return reach(context, "none", async (host) => {
    const { terminal } = context;
    if (!(await isWanted(context, keyId))) {
      terminal.note("Nothing was revoked.");
      return EXIT.refused;
    }
    const key = await host.hostKeys.revoke({ keyId, reason });
    if (context.json) terminal.raw(`${JSON.stringify({ key }, null, 2)}\n`);
    else terminal.out(`Revoked: ${key.key_id}. Verifiers that see the revocation do not believe it any more.`);
    return EXIT.done;
  });
};

const isWanted = async (context: CommandContext, keyId: string): Promise<boolean> => {
  if (isSet(context, "yes")) return true;
  if (isAtTerminal(context)) return askYesNo(context, `Revoke ${keyId} for good?`);
  throw new UsageError("Nobody is there to be asked.", "It cannot be undone; repeat the command with --yes");
};
