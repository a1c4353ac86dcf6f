/** The lines beside an answer: which skill, which calls, what it took. Pure; texts of others are shown, not obeyed. */
import type { ChatResult, RunEvent, SkillMatched } from "../kernel/agent.ts";
import { cutText } from "./cut-text.ts";
import { renderResult } from "./render-result.ts";
import type { Paint } from "./terminal.ts";
import { visibleText } from "./visible-text.ts";

type Told<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

const REASON = 300;
const NAMED = 120;

const plain = (text: string, most = NAMED): string => visibleText(cutText(text, most));

/** A child's calls stand a little to the right. */
export const callLine = ({ name, parentRunId }: { readonly name: string; readonly parentRunId?: string }): string =>
  `${parentRunId === undefined ? "" : "  "}· ${plain(name)} …`;

export const skillLine = ({ name, phase, matched }: SkillMatched): string => {
  const why = matched.length === 0 ? phase : `${phase}: ${matched.join(", ")}`;
  return `skill ${plain(name)} (${plain(why)})`;
};

export const progressText = ({ progress, total, message }: Told<"tool.progress">): string => {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? count : `${count} ${plain(message)}`;
};

export interface DoneView {
  readonly paint: Paint;
  /** That this very call waited for, as far as the run said so before. */
  readonly approvalId: string | null;
}

/** How a call ended, in a line, and below it what to do where it did not end well. */
export const doneLines = (event: Told<"tool.done">, { paint, approvalId }: DoneView): string[] => {
  const { ok, ms, outcome, code, evidenceId } = event;
  const head = callLine(event);
  const time = `${Math.round(ms)} ms`;
  if (outcome === "indeterminate") {
    return [
      `${head} ${paint.red("outcome unknown")} ${time}: it may have acted.`,
      `  → See what is recorded before you repeat it: bailiwick evidence ${evidenceId === null ? "tail" : `show ${plain(evidenceId)}`}`,
    ];
  }
  if (ok) return [`${head} ${paint.green("ok")} ${time}`];
  if (code === "approval_pending") {
    const id = approvalId ?? approvalIdIn(event.result);
    const decide = id === null ? "bailiwick approve" : `bailiwick approve ${plain(id)} yes`;
    return [`${head} ${paint.yellow("waits for approval")} ${time}`, `  → ${decide}`];
  }
  const reason = reasonOf(event.result);
  const end = reason === "" ? "" : `: ${reason}`;
  return code === undefined
    ? [`${head} ${paint.red("failed")} ${time}${end}`]
    : [`${head} ${paint.red("refused")} (${plain(code)}) ${time}${end}`];
};

/** A run that does not wait tells it with the refusal alone. */
const approvalIdIn = (result: unknown): string | null => {
  const { _meta: meta } = (result ?? {}) as { _meta?: Readonly<Record<string, unknown>> };
  const { details } = (meta?.["dev.bailiwick/refusal"] ?? {}) as { details?: Readonly<Record<string, unknown>> };
  const id = details?.["approval_id"];
  return typeof id === "string" ? id : null;
};

const reasonOf = (result: unknown): string => {
  const lines = renderResult(result)
    .flatMap((text) => text.slice(0, REASON * 4).split(/[\r\n]+/))
    .filter((line) => line.trim() !== "");
  return plain(lines.join(" "), REASON);
};

const LIMITS: Readonly<Record<ChatResult["stopReason"], string>> = {
  complete: "",
  max_iterations: "stopped at the limit of model calls",
  token_budget: "stopped at the limit of tokens",
};

/** What it took, in one line, and what was not done. */
export const endLine = ({ stopReason, toolCalls, usage }: ChatResult): string => {
  const dropped = toolCalls.filter((call) => call.dropped !== undefined).length;
  const { inputTokens, outputTokens, iterations, model, costUsd, estimated } = usage;
  const parts = [
    `${inputTokens} tokens in, ${outputTokens} out${estimated ? " (estimated)" : ""}`,
    `${iterations} model ${iterations === 1 ? "call" : "calls"}`,
    plain(model),
    costUsd === null ? "" : `${costUsd.toFixed(4)} USD`,
    LIMITS[stopReason],
    dropped === 0 ? "" : `${dropped} tool ${dropped === 1 ? "call was" : "calls were"} not run`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
};
