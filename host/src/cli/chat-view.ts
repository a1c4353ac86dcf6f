/**
 * One run on the terminal: the answer as it comes on stdout, everything else beside it. With --json the answer is not
 * written here.
 */
import type { RunEvent } from "../kernel/agent.ts";
import { callLine, doneLines, progressText, skillLine } from "./chat-line.ts";
import type { CommandContext } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { createProse } from "./prose.ts";

export interface ChatView {
  readonly show: (event: RunEvent) => void;
  /** A line beside the answer, which may be in the middle of one. */
  readonly note: (line: string) => void;
  end(): void;
  /** Null: no run has begun. */
  conversationId(): string | null;
  /** What became of the calls. */
  code(): ExitCode;
}

/** For the model, which may take its time. */
const WAITING = "…";

export const createChatView = ({ terminal, json }: Pick<CommandContext, "terminal" | "json">): ChatView => {
  const prose = createProse(terminal.interactive);
  const approvals = new Map<string, string>();
  const started = new Map<string, string>();
  let conversationId: string | null = null;
  let code: ExitCode = EXIT.done;
  let isInLine = false;
  let isAfterNote = false;

  const write = (text: string): void => {
    if (json) return;
    // On a screen a line of ours has broken the text already.
    const piece = terminal.interactive && isAfterNote ? text.replace(/^\n+/, "") : text;
    if (piece === "") return;
    terminal.prompt("");
    terminal.raw(piece);
    isInLine = !piece.endsWith("\n");
    isAfterNote = false;
  };
  const breakLine = (): void => {
    if (isInLine && terminal.interactive) terminal.raw("\n");
    isInLine &&= !terminal.interactive;
    isAfterNote = true;
  };
  const note = (line: string): void => {
    breakLine();
    terminal.note(line);
  };
  const pass = (line: string): void => {
    if (!terminal.noteInteractive) return;
    breakLine();
    terminal.passing(line);
  };
  const showStart = ({ parentRunId, skill, ...event }: Extract<RunEvent, { type: "chat.start" }>): void => {
    if (parentRunId === undefined) ({ conversationId } = event);
    if (skill !== null) note(terminal.notePaint.dim(skillLine(skill)));
    pass(WAITING);
  };
  const showCall = (event: Extract<RunEvent, { type: "tool.start" }>): void => {
    started.set(callKey(event), callLine(event));
    pass(callLine(event));
  };
  const showDone = (event: Extract<RunEvent, { type: "tool.done" }>): void => {
    if (event.outcome === "indeterminate") code = EXIT.unknown;
    else if (event.code === "approval_pending" && code === EXIT.done) code = EXIT.pending;
    const approvalId = approvals.get(callKey(event)) ?? null;
    for (const line of doneLines(event, { paint: terminal.notePaint, approvalId })) note(line);
    pass(WAITING);
  };

  return {
    show(event) {
      if (event.type === "text.delta" && event.parentRunId === undefined) write(prose.take(event.text));
      else if (event.type === "tool.start") showCall(event);
      else if (event.type === "tool.progress") pass(`${started.get(callKey(event)) ?? "…"} ${progressText(event)}`);
      else if (event.type === "approval.needed") approvals.set(callKey(event), event.approvalId);
      else if (event.type === "tool.done") showDone(event);
      else if (event.type === "chat.start") showStart(event);
    },
    note,
    end() {
      write(prose.end());
      if (isInLine) terminal.raw("\n");
      isInLine = false;
      terminal.prompt("");
    },
    conversationId: () => conversationId,
    code: () => code,
  };
};

const callKey = ({ runId, id }: { readonly runId: string; readonly id: string }): string => `${runId} ${id}`;
