/** `bailiwick chat`, with whatever there is to talk: a message, a person at the terminal, or lines from a pipe. */
import type { ReachedHost } from "../assembly/reached-host.ts";
import { isAtTerminal } from "./ask-person.ts";
import { joinExitCodes } from "./chat-exit-code.ts";
import type { CommandContext } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { isSet } from "./flags.ts";
import { watchInterrupts } from "./interrupts.ts";
import { listChats } from "./list-chats.ts";
import { openLines, type Lines } from "./open-lines.ts";
import { reach } from "./reach.ts";
import { readBeginning, type Beginning } from "./read-beginning.ts";
import { readChatLines } from "./read-chat-lines.ts";
import { sendMessage, type Talk } from "./send-message.ts";
import { talkAtTerminal, type Left } from "./talk-at-terminal.ts";
import { UsageError } from "./usage-error.ts";
import { visibleText } from "./visible-text.ts";

/** `onNothing`: what to do where nobody sits and nothing is piped in. */
export const holdChat = async (context: CommandContext, onNothing: () => ExitCode): Promise<ExitCode> => {
  if (isSet(context, "list")) return listChats(context);
  const beginning = readBeginning(context);
  const [message] = context.args;
  if (message?.trim() === "") throw new UsageError("The message is empty.", 'Write: bailiwick chat "<message>"');
  if (message === undefined && isAtTerminal(context)) {
    if (!context.json) return talking(context, (talk) => talkAtTerminal(talk, beginning));
    throw new UsageError("With --json somebody else than a person types.", 'Write: bailiwick chat "<message>" --json');
  }
  const messages = message === undefined ? readChatLines(context.stdin) : [message][Symbol.iterator]();
  // Nothing is started for nothing.
  const first = await messages.next();
  if (first.done === true) return onNothing();
  return talking(context, (talk) => sendAll(talk, beginning, { first: first.value, rest: messages }));
};

type OpenTalk = Talk & { readonly host: ReachedHost; readonly lines: () => Lines };

/** Opens the host and what a talk needs, and says at the end how to go on. */
const talking = (context: CommandContext, talk: (open: OpenTalk) => Promise<Left>): Promise<ExitCode> =>
  reach(context, "all", async (host) => {
    const interrupts = watchInterrupts();
    let opened: Lines | null = null;
    const lines = (): Lines => (opened ??= openLines(context, interrupts.press));
    try {
      const { code, conversationId } = await talk({ context, host, interrupts, lines });
      if (conversationId !== null) {
        const id = visibleText(conversationId);
        context.terminal.note(`conversation ${id}; go on with: bailiwick chat --resume ${id}`);
      }
      return code;
    } finally {
      interrupts.close();
      (opened as Lines | null)?.close();
    }
  });

interface Messages {
  readonly first: string;
  readonly rest: Iterator<string> | AsyncIterator<string>;
}

/** One after another, in one conversation. */
const sendAll = async (open: OpenTalk, beginning: Beginning, { first, rest }: Messages): Promise<Left> => {
  const { context } = open;
  const talk: Talk = { ...open, lines: isAtTerminal(context) && !context.json ? open.lines : null };
  const { conversationId: resumed, ...narrowing } = beginning;
  // One that was only named is none to go on with.
  let conversationId: string | null = null;
  let code: ExitCode = EXIT.done;
  for (let text: string | null = first; text !== null;) {
    const within = conversationId ?? resumed;
    const sent = await sendMessage(talk, {
      ...narrowing,
      text,
      ...(within !== undefined && { conversationId: within }),
    });
    conversationId = sent.conversationId ?? conversationId;
    code = joinExitCodes(code, sent.code);
    // A program counts on one line for each of its own.
    if (sent.isCancelled || (sent.isUnconfigured && !context.json)) break;
    const next = await rest.next();
    text = next.done === true ? null : next.value;
  }
  return { code, conversationId };
};
