/** A chat with the person at the terminal: one message after another until they leave. */
import type { ChatControl } from "../assembly/chat-control.ts";
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { StoredMessage } from "../kernel/conversation.ts";
import { Refusal } from "../kernel/refusal.ts";
import { cutText } from "./cut-text.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Lines } from "./open-lines.ts";
import { visibleProse } from "./prose.ts";
import type { Beginning } from "./read-beginning.ts";
import { CHAT_WORDS, readChatWord, type ChatWord } from "./read-chat-word.ts";
import { sendMessage, type Talk } from "./send-message.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

export interface TerminalTalk extends Talk {
  readonly host: Talk["host"] & Pick<ReachedHost, "skills"> & Pick<ChatControl, "conversations">;
  readonly lines: () => Lines;
}

export interface Left {
  readonly code: ExitCode;
  readonly conversationId: string | null;
}

export const talkAtTerminal = async (talk: TerminalTalk, beginning: Beginning): Promise<Left> => {
  const { interrupts, lines, context } = talk;
  const { conversationId: first, ...narrowing } = beginning;
  let conversationId = first ?? null;
  if (conversationId !== null) await showWhere(talk, conversationId);
  else context.terminal.note(context.terminal.notePaint.dim("A new conversation. /help says what can be typed."));
  for (;;) {
    interrupts.set(() => lines().close());
    const line = (await lines().ask("> "))?.trim();
    if (line === undefined) return { code: EXIT.done, conversationId };
    if (line === "") continue;
    const word = readChatWord(line);
    if (word?.kind === "quit") return { code: EXIT.done, conversationId };
    if (word !== null && (await obey(talk, word, (id) => (conversationId = id)))) continue;
    const sent = await sendMessage(talk, {
      ...narrowing,
      text: line,
      ...(conversationId !== null && { conversationId }),
    });
    conversationId = sent.conversationId ?? conversationId;
    if (sent.isUnconfigured) return { code: sent.code, conversationId };
  }
};

/** False: it is for the agent after all. */
const obey = async (talk: TerminalTalk, word: ChatWord, goTo: (id: string | null) => void): Promise<boolean> => {
  const { terminal } = talk.context;
  try {
    if (word.kind === "help") for (const line of CHAT_WORDS) terminal.note(line);
    if (word.kind === "skills") await showSkills(talk);
    if (word.kind === "new") goTo(null);
    if (word.kind === "resume") {
      await showWhere(talk, word.id);
      goTo(word.id);
    }
    return word.kind !== "other" || !(await isSkill(talk, word.name));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    terminal.note(terminal.notePaint.red(visibleProse(error.message)));
    terminal.note(`→ ${visibleProse(error.next)}`);
    return true;
  }
};

const isSkill = async ({ host, context: { terminal } }: TerminalTalk, name: string): Promise<boolean> => {
  const isKnown = (await host.skills.list()).some((skill) => folded(skill.name) === folded(name));
  if (!isKnown) terminal.note(`There is neither a command nor a skill /${name}. → /help, /skills`);
  return isKnown;
};

/** As the agent compares names. */
const folded = (name: string): string => name.normalize("NFC").toLowerCase();

const LINE = 100;

const showSkills = async ({ host, context: { terminal } }: TerminalTalk): Promise<void> => {
  const skills = await host.skills.list();
  if (skills.length === 0) terminal.note("There are no skills.");
  const rows = skills.map(({ name, description, reason }) => ["", visibleText(name), oneLine(reason ?? description)]);
  for (const line of renderTable(rows, { width: terminal.width })) terminal.note(line);
};

const oneLine = (text: string): string => visibleText(cutText(text.replaceAll(/\s+/g, " ").trim(), LINE));

const LAST = 4;

/** The last messages, so that the person knows where they were. Refusal for a conversation that there is not. */
const showWhere = async ({ host, context: { terminal } }: TerminalTalk, id: string): Promise<void> => {
  const messages = await host.conversations.history(id);
  for (const { role, content } of messages.slice(-LAST).filter(hasText)) {
    const who = role === "user" ? "> " : "  ";
    terminal.note(terminal.notePaint.dim(`${who}${oneLine(content)}`));
  }
  terminal.note(
    terminal.notePaint.dim(`${visibleText(id)}, ${messages.length} messages. /help says what can be typed.`),
  );
};

const hasText = ({ content }: StoredMessage): boolean => content.trim() !== "";
