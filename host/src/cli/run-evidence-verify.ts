/** `bailiwick evidence verify [file]`: every check as pass, fail or absent. Exit 0 valid, 1 invalid, 2 unreadable, 3 below the tier. */
import { resolve } from "node:path";
import { openEvidence, verifyEvidenceFile, type Verification } from "../assembly/open-evidence.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { textFlag } from "./flags.ts";
import { openConfig } from "./open-config.ts";
import { UsageError } from "./usage-error.ts";

const TIERS = ["hash-chain", "signed"] as const;
type Tier = (typeof TIERS)[number];

/** In the order in which they are shown; what nothing here can check is absent. */
const CHECKS = [
  "event_hashes",
  "chain",
  "payload_commitments",
  "cover",
  "sequence",
  "root_hash",
  "completeness",
  "signature",
  "key_id",
  "key_pinned",
  "host_identity",
  "log",
] as const;

const NAME_WIDTH = 20;

export const runEvidenceVerify: RunCommand = (context) => {
  const tier = readTier(context);
  const verification = read(context);
  const checks = Object.fromEntries(
    CHECKS.map((name) => [name, (verification.checks as Readonly<Record<string, string>>)[name] ?? "absent"]),
  );
  const code = exitCodeFor(verification, tier);
  if (context.json) context.terminal.raw(`${JSON.stringify({ ...verification, checks }, null, 2)}\n`);
  else show(context, verification, checks);
  sayVerdict(context, verification, code);
  return Promise.resolve(code);
};

const readTier = (context: CommandContext): Tier => {
  // Nothing is signed yet, so the tier that can be reached is the one that is asked for.
  const text = textFlag(context, "tier") ?? "hash-chain";
  const tier = TIERS.find((each) => each === text);
  if (tier === undefined) throw new UsageError(`There is no tier "${text}".`, `Use one of: ${TIERS.join(", ")}`);
  return tier;
};

const read = (context: CommandContext): Verification => {
  const [word] = context.args;
  try {
    if (word !== undefined) return verifyEvidenceFile(resolve(context.cwd, word));
    const evidence = openEvidence(openConfig(context).workDir);
    try {
      return evidence.verify();
    } finally {
      evidence.close();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `The evidence cannot be read: ${(error as Error).message}`,
      "Name an exported file, or --workdir",
    );
  }
};

export const exitCodeFor = ({ valid, unreadable }: Verification, tier: Tier): ExitCode => {
  if (unreadable) return EXIT.usage;
  if (!valid) return EXIT.failed;
  return tier === "signed" ? EXIT.refused : EXIT.done;
};

const show = (
  { terminal }: CommandContext,
  { count, scope }: Verification,
  checks: Readonly<Record<string, string>>,
): void => {
  const { paint } = terminal;
  const colours: Readonly<Record<string, (text: string) => string>> = {
    pass: paint.green,
    fail: paint.red,
    absent: paint.dim,
  };
  const part = scope === "log" ? "the whole log" : scope === "correlation" ? "one correlation" : "a part of the log";
  terminal.out(`${count === 1 ? "1 record" : `${count} records`}, ${part}`);
  for (const [name, state] of Object.entries(checks)) {
    terminal.out(`  ${name.padEnd(NAME_WIDTH)}${(colours[state] ?? String)(state)}`);
  }
};

const sayVerdict = ({ terminal }: CommandContext, verification: Verification, code: ExitCode): void => {
  const { red, green, yellow } = terminal.notePaint;
  const { firstBroken } = verification;
  if (code === EXIT.usage)
    terminal.note(red("Unreadable: it holds no evidence record. Export one: bailiwick evidence export"));
  if (code === EXIT.failed && firstBroken) {
    const place = firstBroken.sequence === null ? "" : ` at record ${firstBroken.sequence}`;
    terminal.note(red(`INVALID${place} (${firstBroken.check}): ${firstBroken.reason}.`));
  }
  if (code === EXIT.refused)
    terminal.note(yellow("Valid at the tier hash-chain, below signed: records are not signed yet."));
  if (code === EXIT.done && verification.count === 0)
    terminal.note("Nothing has been recorded yet, so there is nothing to verify.");
  else if (code === EXIT.done)
    terminal.note(green("Valid at the tier hash-chain. (Signatures are not available yet.)"));
};
