/** `bailiwick evidence export`: records in a form that anybody can verify or work with. A file is complete or not there. */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Evidence, EvidenceExport } from "../assembly/open-evidence.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { countFlag, isSet, textFlag } from "./flags.ts";
import { UsageError } from "./usage-error.ts";
import { withEvidence } from "./with-evidence.ts";

const FORMATS = ["jsonl", "bundle", "csv", "otel"] as const;
const SEQUENCE = { least: 1, most: 999_999_999 };

export const runEvidenceExport: RunCommand = async (context) => {
  const order = readOrder(context);
  return withEvidence(context, async (evidence) => {
    const { correlation } = order;
    if (correlation !== undefined && isEmpty(evidence.find(correlation))) {
      throw new UsageError(
        `No record has the correlation "${correlation}".`,
        "The latest ones: bailiwick evidence tail --json",
      );
    }
    const out = textFlag(context, "out");
    const text = Readable.from(evidence.export(order));
    if (out === undefined) await pipeline(text, process.stdout, { end: false });
    else await writeFile(context, out, text);
    sayUnsigned(context, evidence, order);
    return EXIT.done;
  });
};

const readOrder = (context: CommandContext): EvidenceExport => {
  const word = textFlag(context, "format") ?? "jsonl";
  const format = FORMATS.find((each) => each === word);
  if (format === undefined) throw new UsageError(`There is no format "${word}".`, `Use one of: ${FORMATS.join(", ")}`);
  const correlation = textFlag(context, "correlation");
  const [from, to] = [countFlag(context, "from", SEQUENCE), countFlag(context, "to", SEQUENCE)];
  if (format === "bundle" && correlation === undefined)
    throw new UsageError("A bundle holds one correlation.", "Add --correlation <id>, or use --format jsonl");
  if (correlation !== undefined && (from ?? to) !== undefined && (format === "bundle" || format === "jsonl"))
    throw new UsageError("A correlation is exported whole.", "Leave out --from and --to, or --correlation");
  return {
    format,
    payloads: !isSet(context, "no-payloads"),
    ...(correlation === undefined ? {} : { correlation }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
};

const isEmpty = (lines: Iterable<string>): boolean => lines[Symbol.iterator]().next().done === true;

/** Said, because whoever gets the file will find out. */
const sayUnsigned = ({ terminal }: CommandContext, { canSign }: Evidence, { format }: EvidenceExport): void => {
  if (canSign || format === "csv" || format === "otel") return;
  terminal.note(terminal.notePaint.yellow("The host's key cannot be used here, so the newest records are not signed."));
  terminal.note("→ Run it as the user of the host; where the key has a passphrase, set BAILIWICK_KEY_PASSPHRASE");
};

const writeFile = async (context: CommandContext, out: string, text: Readable): Promise<void> => {
  const file = resolve(context.cwd, out);
  const draft = `${file}.${process.pid}.part`;
  try {
    await pipeline(text, createWriteStream(draft, { mode: 0o600, flags: "wx" }));
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
