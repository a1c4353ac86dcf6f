/** What a verification comes to, in one line, and what to do about it. */
import type { Verification } from "../assembly/open-evidence.ts";
import type { CommandContext } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";

export interface Verdict {
  readonly code: ExitCode;
  readonly tier: "signed" | "hash-chain";
}

const NOT_EXPECTED =
  "Valid, but signed with another key than the expected one. If the host has a new key, give its identity document too: " +
  "--key <expected key> --key <identity document>";
const NOT_COMPARED =
  "Valid, but it cannot be compared with the kept checkpoint: that needs the whole log, or a part that begins there.";

const whyRefused = ({ checks, tier, unsigned, compared }: Verification, asked: Verdict["tier"]): string => {
  if (checks.key_pinned === "fail") return NOT_EXPECTED;
  if (tier === "signed" && unsigned > 0) return `Valid, but no signature covers the last ${unsigned} records.`;
  if (tier !== "signed" && asked === "signed") {
    const missing = ["signature", "host_identity", "log"].filter((name) => checks[name as "log"] === "absent");
    return `Valid at the tier hash-chain, below signed: it has no ${missing.join(", no ")}.`;
  }
  return compared ? "Valid, but below what was asked for." : NOT_COMPARED;
};

export const sayVerdict = ({ terminal }: CommandContext, verification: Verification, { code, tier }: Verdict): void => {
  const { red, green, yellow } = terminal.notePaint;
  const { firstBroken, count } = verification;
  if (code === EXIT.usage)
    terminal.note(red("Unreadable: it holds no evidence record. Export one: bailiwick evidence export"));
  if (code === EXIT.failed && firstBroken) {
    const place = firstBroken.sequence === null ? "" : ` at record ${firstBroken.sequence}`;
    terminal.note(red(`INVALID${place} (${firstBroken.check}): ${firstBroken.reason}.`));
  }
  if (code === EXIT.refused) terminal.note(yellow(whyRefused(verification, tier)));
  if (code === EXIT.done && count === 0) terminal.note("Nothing has been recorded yet, so there is nothing to verify.");
  else if (code === EXIT.done) terminal.note(green(`Valid at the tier ${verification.tier}.`));
  if (code === EXIT.done && count > 0 && tier === "signed" && verification.tier !== "signed")
    terminal.note(yellow("Nothing is signed yet: the host signs its log after 10 seconds and when it stops."));
};
