/** `bailiwick evidence export`: JSON Lines that anybody can verify. A file is complete or not there. */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Evidence } from "../assembly/open-evidence.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { textFlag } from "./flags.ts";
import { UsageError } from "./usage-error.ts";
import { withEvidence } from "./with-evidence.ts";

export const runEvidenceExport: RunCommand = async (context) => {
  const format = textFlag(context, "format") ?? "jsonl";
  if (format !== "jsonl") throw new UsageError(`The format "${format}" is not available yet.`, "Use --format jsonl");
  const correlation = textFlag(context, "correlation");
  return withEvidence(context, async (evidence) => {
    if (correlation !== undefined && isEmpty(evidence.find(correlation))) {
      throw new UsageError(
        `No record has the correlation "${correlation}".`,
        "The latest ones: bailiwick evidence tail --json",
      );
    }
    const out = textFlag(context, "out");
    if (out === undefined) await pipeline(Readable.from(textOf(evidence, correlation)), process.stdout, { end: false });
    else await writeFile(context, { out, evidence, correlation });
    return EXIT.done;
  });
};

const isEmpty = (lines: Iterable<string>): boolean => lines[Symbol.iterator]().next().done === true;

function* textOf(evidence: Evidence, correlation: string | undefined): Iterable<string> {
  for (const line of evidence.export(correlation)) yield `${line}\n`;
}

interface Target {
  readonly out: string;
  readonly evidence: Evidence;
  readonly correlation: string | undefined;
}

const writeFile = async (context: CommandContext, { out, evidence, correlation }: Target): Promise<void> => {
  const file = resolve(context.cwd, out);
  const draft = `${file}.${process.pid}.part`;
  try {
    await pipeline(
      Readable.from(textOf(evidence, correlation)),
      createWriteStream(draft, { mode: 0o600, flags: "wx" }),
    );
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new UsageError(
      `${file} cannot be written: ${(error as Error).message}`,
      "Name a file in a directory you may write to.",
    );
  }
  context.terminal.note(`Written: ${file}. Check it: bailiwick evidence verify ${out}`);
};
