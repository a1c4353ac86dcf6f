/** One message of a chat, from the host's first event to the line that says what it took. */
import type { ChatControl, ChatSession } from "../assembly/chat-control.ts";
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { ChatResult } from "../kernel/agent.ts";
import { Refusal } from "../kernel/refusal.ts";
import { answerApproval } from "./answer-approval.ts";
import { chatRefusalCode } from "./chat-exit-code.ts";
import { endLine } from "./chat-line.ts";
import { createChatView, type ChatView } from "./chat-view.ts";
import type { CommandContext } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { holdWhileAsking } from "./hold-while-asking.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Lines } from "./open-lines.ts";
import { visibleProse } from "./prose.ts";
import type { Beginning } from "./read-beginning.ts";

export interface Talk {
  readonly context: CommandContext;
  readonly host: Pick<ReachedHost, "origin" | "approvals"> & Pick<ChatControl, "chat">;
  readonly interrupts: Interrupts;
  /** Null: nobody can be asked. */
  readonly lines: (() => Lines) | null;
}

type Message = Beginning & { readonly text: string };

export interface Sent {
  readonly code: ExitCode;
  /** Null: there was none. */
  readonly conversationId: string | null;
  /** No model can be called. */
  readonly isUnconfigured: boolean;
  /** By Ctrl-C. */
  readonly isCancelled: boolean;
}

export const sendMessage = async (talk: Talk, { text, ...narrowing }: Message): Promise<Sent> => {
  const { context, host, interrupts } = talk;
  const { terminal, json } = context;
  const view = createChatView(context);
  const cancel = new AbortController();
  interrupts.set(() => {
    interrupts.set(null);
    view.note("Cancelling; press Ctrl-C again to leave at once.");
    cancel.abort();
  });
  try {
    const chat = host.chat(text, { ...narrowing, signal: cancel.signal, ...waitOf(talk) });
    const result = await follow({ talk, view, chat });
    if (json) terminal.raw(`${JSON.stringify(result)}\n`);
    terminal.note(terminal.notePaint.dim(endLine(result)));
    const { conversationId } = result;
    return { code: codeOf(result, view), conversationId, isUnconfigured: false, isCancelled: cancel.signal.aborted };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    showRefusal(context, error);
    const code = view.code() === EXIT.unknown ? EXIT.unknown : chatRefusalCode(error);
    return {
      code,
      conversationId: view.conversationId(),
      isUnconfigured: error.kind === "model_unconfigured",
      isCancelled: cancel.signal.aborted,
    };
  } finally {
    interrupts.set(null);
  }
};

/** Nobody can decide in this process, and nobody else can while it holds the store. */
const waitOf = ({ lines, host }: Talk): { approvalWaitMs?: number } =>
  lines === null && host.origin === null ? { approvalWaitMs: 0 } : {};

interface Following {
  readonly talk: Talk;
  readonly view: ChatView;
  readonly chat: ChatSession;
}

const follow = async ({ talk, view, chat }: Following): Promise<ChatResult> => {
  const { approvals } = talk.host;
  const { notePaint: paint } = talk.context.terminal;
  const holding = holdWhileAsking({
    show: view.show,
    ask: (needed, signal) => answerApproval(needed, { approvals, note: view.note, paint, lines: talk.lines, signal }),
  });
  try {
    for await (const event of chat.stream) holding.take(event);
    await holding.settled();
    return await chat.result;
  } finally {
    holding.stop();
    // What a question failed with is thrown above; here it only must have ended.
    await holding.settled().catch(() => {});
    view.end();
  }
};

const codeOf = ({ toolCalls }: ChatResult, view: ChatView): ExitCode =>
  toolCalls.some(({ outcome }) => outcome === "indeterminate") ? EXIT.unknown : view.code();

const showRefusal = ({ terminal, json }: CommandContext, { kind, message, next }: Refusal): void => {
  if (json) terminal.raw(`${JSON.stringify({ error: kind, message, remedy: next })}\n`);
  terminal.note(terminal.notePaint.red(visibleProse(message)));
  terminal.note(`→ ${visibleProse(next)}`);
};
