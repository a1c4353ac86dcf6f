/** Opens the evidence of the command's work directory, hands it over and closes it. */
import { openEvidence, type Evidence } from "../assembly/open-evidence.ts";
import type { CommandContext } from "./command.ts";
import { openConfig } from "./open-config.ts";

export const withEvidence = async <T>(
  context: CommandContext,
  use: (evidence: Evidence) => Promise<T> | T,
): Promise<T> => {
  const evidence = openEvidence(openConfig(context).workDir, context.env["BAILIWICK_KEY_PASSPHRASE"] ?? null);
  try {
    return await use(evidence);
  } finally {
    evidence.close();
  }
};
