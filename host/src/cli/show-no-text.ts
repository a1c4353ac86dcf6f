/** Why a generator made no text: a refusal of the host, or what the tool has against the config or the context. */
import { isObject } from "../kernel/is-object.ts";
import { shellWord } from "../kernel/shell-word.ts";
import type { CommandContext } from "./command.ts";
import { describeFinding } from "./describe-finding.ts";
import { EXIT, exitCodeOf, type ExitCode } from "./exit-code.ts";
import type { ComposeCalled, Members } from "./read-compose-answer.ts";
import { renderResult } from "./render-result.ts";
import { visibleText } from "./visible-text.ts";

/** Returns how the command ends. */
export const showNoText = (context: CommandContext, call: ComposeCalled): ExitCode => {
  const { report } = call;
  if (context.json) context.terminal.raw(`${report.json}\n`);
  else show(context, call);
  const code = exitCodeOf(report.answer);
  return code === EXIT.done ? EXIT.failed : code;
};

const show = ({ terminal }: CommandContext, { tool, args, report }: ComposeCalled): void => {
  const say = (message: string): void => terminal.note(terminal.notePaint.red(visibleText(message)));
  const { ending } = report.answer;
  if (ending.kind === "refusal") {
    const { refusal } = ending;
    say(refusal.message);
    terminal.note(`→ ${refusal.next}`);
    const { approval_id: id } = refusal.details;
    if (refusal.kind !== "approval_pending" || typeof id !== "string") return;
    terminal.note(`→ Who may decide sees the call and decides: bailiwick approve ${visibleText(id)}`);
    terminal.note(`→ Then make the same call: bailiwick call ${tool} ${shellWord(JSON.stringify(args))}`);
    return;
  }
  const result = JSON.parse(report.json) as Members;
  const error = errorOf(result);
  if (error === null) {
    say(`${tool} did not answer as it should: ${renderResult(result).join(" ") || report.json}`);
    terminal.note("→ See what is wrong with the host: bailiwick doctor");
    return;
  }
  say(error.message);
  for (const line of error.found) terminal.note(`  ${line}`);
  terminal.note(`→ ${visibleText(error.next)}`);
};

interface ToldError {
  readonly message: string;
  /** What is wrong in detail, a line each. */
  readonly found: readonly string[];
  readonly next: string;
}

const CORRECT = "Correct the config or the context, and run the same command again.";

const errorOf = ({ structuredContent }: Members): ToldError | null => {
  const error = isObject(structuredContent) ? structuredContent["error"] : null;
  if (!isObject(error) || typeof error["message"] !== "string") return null;
  const details = isObject(error["details"]) ? error["details"] : {};
  const { next } = details;
  return {
    message: `${error["message"]} (${String(error["code"])})`,
    found: Object.values(details).flatMap((each) =>
      Array.isArray(each) ? each.flatMap((item) => (isObject(item) ? (describeFinding(item) ?? []) : [])) : [],
    ),
    // A draft that is not valid is none: the next step is this command, not the tool behind it.
    next: typeof next !== "string" || error["code"] === "validation_error" ? CORRECT : commandOf(next),
  };
};

/** A next call, such as `save_config {"draft_id":"…"}`, as it is typed at a terminal; any other sentence as it is. */
const commandOf = (next: string): string => {
  const [, tool, json] = /^([a-z]+(?:_[a-z]+)+) (\{.*\})$/.exec(next) ?? [];
  return tool === undefined || json === undefined ? next : `bailiwick call compose__${tool} ${shellWord(json)}`;
};
