/** `bailiwick call <provider__tool> [json]`: one call through the one path. */
import type { CallReport, ReachedHost } from "../assembly/reached-host.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { exitCodeOf } from "./exit-code.ts";
import { countFlag } from "./flags.ts";
import { reach } from "./reach.ts";
import { readArguments } from "./read-arguments.ts";
import { renderResult } from "./render-result.ts";
import { visibleText } from "./visible-text.ts";

export const runCall: RunCommand = async (context) => {
  const [tool = "", word] = context.args;
  const args = await readArguments({ word, cwd: context.cwd, stdin: context.stdin });
  const provider = tool.split("__", 1)[0] ?? tool;
  return reach(context, { provider }, async (host) => {
    const interrupt = new AbortController();
    const onInterrupt = (): void => {
      context.terminal.note("Cancelling; press Ctrl-C again to stop waiting for the answer.");
      process.removeListener("SIGINT", onInterrupt);
      interrupt.abort();
    };
    process.on("SIGINT", onInterrupt);
    try {
      const onProgress = (progress: Progress): void => showProgress(context, progress);
      const approvalWaitMs = readWait(context, host);
      const report = await host.call(tool, args, { signal: interrupt.signal, onProgress, approvalWaitMs });
      if (context.json) context.terminal.raw(`${report.json}\n`);
      else show(context, report);
      return exitCodeOf(report.answer);
    } finally {
      process.removeListener("SIGINT", onInterrupt);
    }
  });
};

const MOST_WAIT_S = 300;

/** Nobody can decide in this process, and nobody else can while it holds the store. */
const readWait = (context: CommandContext, { origin }: ReachedHost): number => {
  const seconds = countFlag(context, "wait", { least: 0, most: MOST_WAIT_S }) ?? 0;
  if (seconds === 0 || origin !== null) return seconds * 1000;
  context.terminal.note("No host is running, so nobody can approve while this waits; it does not wait.");
  return 0;
};

interface Progress {
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
}

const showProgress = ({ terminal }: CommandContext, { progress, total, message }: Progress): void => {
  const count = progress === undefined ? "" : total === undefined ? String(progress) : `${progress} of ${total}`;
  terminal.note(terminal.notePaint.dim(`… ${[count, message ?? ""].filter((part) => part !== "").join(" ")}`));
};

const show = (context: CommandContext, { answer, json }: CallReport): void => {
  const { terminal } = context;
  const { ending } = answer;
  if (ending.kind === "refusal") {
    showRefusal(context, ending.refusal);
  } else if (ending.kind === "error") {
    terminal.note(terminal.notePaint.red(`${answer.tool ?? "The server"} answered with an error: ${json}`));
  } else if (ending.kind === "result") {
    if (ending.isError) terminal.note(terminal.notePaint.red(`${answer.tool ?? "The tool"} failed:`));
    for (const text of renderResult(JSON.parse(json))) writeText(context, text);
  }
};

/** Into a pipe or file goes exactly what the tool said; on a screen its control characters are shown, not obeyed. */
const writeText = ({ terminal }: CommandContext, text: string): void => {
  if (terminal.interactive) terminal.out(text);
  else terminal.raw(`${text}\n`);
};

const showRefusal = ({ terminal }: CommandContext, refusal: Refusal): void => {
  terminal.note(terminal.notePaint.red(refusal.message));
  terminal.note(`→ ${refusal.next}`);
  const { approval_id: id } = refusal.details;
  if (refusal.kind === "approval_pending" && typeof id === "string") {
    terminal.note(`→ Who may decide sees the call and decides: bailiwick approve ${visibleText(id)}`);
  }
};
