/** `bailiwick evidence verify [file]`: every check as pass, fail or absent. Exit 0 valid, 1 invalid, 2 unreadable, 3 below the tier. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  openEvidence,
  readKey,
  verifyEvidenceFile,
  type ExpectedKey,
  type Verification,
  type VerifyOptions,
} from "../assembly/open-evidence.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { listFlag, textFlag } from "./flags.ts";
import { openConfig } from "./open-config.ts";
import { sayVerdict } from "./say-evidence-verdict.ts";
import { UsageError } from "./usage-error.ts";

const TIERS = ["signed", "hash-chain"] as const;
type Tier = (typeof TIERS)[number];

const NAME_WIDTH = 20;
const MAX_FILE = 4 << 20;
/** A running host signs after so many events, or 10 seconds; what came since is no fault of the log. */
const MAX_UNSIGNED = 2000;

export const runEvidenceVerify: RunCommand = (context) => {
  const tier = readTier(context);
  // A host that runs has not signed its latest records yet; whoever asks for a tier by name gets no allowance.
  const isFile = context.args.length > 0;
  const lenient = !isFile && textFlag(context, "tier") === undefined;
  const options = readOptions(context);
  const verification = read(context, options);
  const code = exitCodeFor(verification, { tier, isFile, lenient, asked: options.checkpoint !== undefined });
  if (context.json) context.terminal.raw(`${JSON.stringify(verification, null, 2)}\n`);
  else show(context, verification);
  sayVerdict(context, verification, { code, tier });
  return Promise.resolve(code);
};

const readTier = (context: CommandContext): Tier => {
  const text = textFlag(context, "tier") ?? "signed";
  const tier = TIERS.find((each) => each === text);
  if (tier === undefined) throw new UsageError(`There is no tier "${text}".`, `Use one of: ${TIERS.join(", ")}`);
  return tier;
};

const readSmall = (context: CommandContext, word: string): string => {
  const path = resolve(context.cwd, word);
  try {
    if (statSync(path).size > MAX_FILE) throw new Error(`it is larger than ${MAX_FILE} bytes`);
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`, "Name a file that you may read.");
  }
};

const readExpected = (context: CommandContext, word: string): ExpectedKey => {
  const isFile = existsSync(resolve(context.cwd, word));
  const key = readKey(isFile ? readSmall(context, word) : word);
  if (key !== null) return key;
  throw new UsageError(
    `--key ${word.slice(0, 80)} is no public key.`,
    "Give the 44 characters of the key, a file with them, an identity document (/.well-known/chp-identity), or host-key.json.",
  );
};

/** The first key is the expected one; further ones only show how it leads to a newer one. */
const readOptions = (context: CommandContext): VerifyOptions => {
  const [key, ...documents] = (listFlag(context, "key") ?? []).map((word) => readExpected(context, word));
  const checkpoint = textFlag(context, "checkpoint");
  return {
    ...(key === undefined ? {} : { key, documents }),
    ...(checkpoint === undefined ? {} : { checkpoint: readSmall(context, checkpoint) }),
  };
};

const read = (context: CommandContext, options: VerifyOptions): Verification => {
  const [word] = context.args;
  try {
    if (word !== undefined) return verifyEvidenceFile(resolve(context.cwd, word), options);
    const evidence = openEvidence(openConfig(context).workDir);
    try {
      return evidence.verify(options);
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

export interface Demand {
  readonly tier: Tier;
  /** Of a file something is expected; a log may be empty. */
  readonly isFile: boolean;
  /** A few records at the end need no signature yet. */
  readonly lenient: boolean;
  /** A kept checkpoint was given. */
  readonly asked: boolean;
}

export const exitCodeFor = (verification: Verification, { tier, isFile, lenient, asked }: Demand): ExitCode => {
  const { valid, unreadable, checks, count, unsigned } = verification;
  if (unreadable) return EXIT.usage;
  if (!valid) return EXIT.failed;
  if (isFile && count === 0) return EXIT.usage;
  if (checks.key_pinned === "fail" || (asked && !verification.compared)) return EXIT.refused;
  if (tier === "hash-chain" || (count === 0 && lenient)) return EXIT.done;
  const isFresh = lenient && checks.signature === "absent" && count <= MAX_UNSIGNED;
  const isSigned = verification.tier === "signed" && unsigned <= (lenient ? MAX_UNSIGNED : 0);
  return isSigned || isFresh ? EXIT.done : EXIT.refused;
};

const PARTS: Readonly<Record<Verification["scope"], string>> = {
  log: "the whole log",
  correlation: "one correlation",
  range: "a part of the log",
  bundle: "a bundle",
};

const show = ({ terminal }: CommandContext, verification: Verification): void => {
  const { paint } = terminal;
  const colours: Readonly<Record<string, (text: string) => string>> = {
    pass: paint.green,
    fail: paint.red,
    absent: paint.dim,
  };
  const { count, scope, withheld, purged, unsigned, hostId, keyId } = verification;
  const more = [
    ...(withheld > 0 ? [`${withheld} without payload`] : []),
    ...(purged > 0 ? [`${purged} purged`] : []),
    ...(unsigned > 0 ? [`the last ${unsigned} not signed yet`] : []),
  ];
  terminal.out([`${count === 1 ? "1 record" : `${count} records`}, ${PARTS[scope]}`, ...more].join(", "));
  if (hostId !== null) terminal.out(`  host ${hostId}${keyId === null ? "" : `, signed with key ${keyId}`}`);
  for (const [name, state] of Object.entries(verification.checks)) {
    terminal.out(`  ${name.padEnd(NAME_WIDTH)}${(colours[state] ?? String)(state)}`);
  }
};
