/** `bailiwick evidence tail`: the latest records, and with --follow those to come. */
import { setTimeout as sleep } from "node:timers/promises";
import { cutText } from "./cut-text.ts";
import type { RunCommand } from "./command.ts";
import { eventRow } from "./event-row.ts";
import { EXIT } from "./exit-code.ts";
import { countFlag, isSet } from "./flags.ts";
import { withEvidence } from "./with-evidence.ts";

const DEFAULT_LINES = 20;
const MOST_LINES = 100_000;
const POLL_MS = 250;

export const runEvidenceTail: RunCommand = (context) =>
  withEvidence(context, async (evidence) => {
    const { terminal, json } = context;
    const limit = countFlag(context, "lines", { least: 0, most: MOST_LINES }) ?? DEFAULT_LINES;
    const show = (line: string): void => {
      if (json) terminal.raw(`${line}\n`);
      else terminal.out(cutText(eventRow(line, terminal.paint), terminal.width + COLOUR_ALLOWANCE));
    };
    let last = evidence.last();
    if (last === 0) terminal.note("Nothing has been recorded yet.");
    for (const line of evidence.range(Math.max(1, last - limit + 1), last)) show(line);
    if (!isSet(context, "follow")) return EXIT.done;
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort());
    while (!stop.signal.aborted) {
      const now = evidence.last();
      for (const line of evidence.range(last + 1, now)) show(line);
      last = now;
      await sleep(POLL_MS, null, { signal: stop.signal }).catch(() => {});
    }
    return EXIT.done;
  });

/** The colour of the outcome takes signs that take no place. */
const COLOUR_ALLOWANCE = 9;
