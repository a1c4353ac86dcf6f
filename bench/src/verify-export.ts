/**
 * Verifies an export once, as `bailiwick evidence verify` does, and prints what that cost. The first pass of a process, so
 * that compiling the code counts, as it does for whoever runs the command. Argument: the file.
 */
import { importHost } from "./import-host.ts";

interface Verification {
  readonly valid: boolean;
  readonly tier: string;
  readonly count: number;
}

export interface VerifyCost extends Verification {
  /** Of the whole process, all its threads. */
  readonly cpuMicros: number;
}

const [file = ""] = process.argv.slice(2);
const { verifyEvidence } = await importHost<{ verifyEvidence: (lines: Iterable<string>) => Verification }>(
  "storage/verify-evidence",
);
const { readLines } = await importHost<{ readLines: (path: string) => Iterable<string> }>("storage/read-lines");
const before = process.cpuUsage();
const { valid, tier, count } = verifyEvidence(readLines(file));
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ valid, tier, count, cpuMicros: user + system } satisfies VerifyCost));
