/** `bailiwick chat --list`: the conversations that changed last, to go on with. */
import type { ConversationSummary } from "../kernel/conversation.ts";
import type { CommandContext } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";
import { UsageError } from "./usage-error.ts";
import { visibleText } from "./visible-text.ts";

const MOST = 20;

export const listChats = async (context: CommandContext): Promise<ExitCode> => {
  if (context.args.length > 0) throw new UsageError("--list takes no message.", "Write: bailiwick chat --list");
  return reach(context, "open", async (host) => {
    const page = await host.conversations.list({ limit: MOST });
    if (context.json) context.terminal.raw(`${JSON.stringify(page, null, 2)}\n`);
    else show(context, page.conversations, page.totalCount);
    return EXIT.done;
  });
};

const show = ({ terminal }: CommandContext, rows: readonly ConversationSummary[], total: number): void => {
  if (rows.length === 0) {
    terminal.note('There are no conversations yet. Begin one: bailiwick chat "<message>"');
    return;
  }
  const cells = rows.map(({ id, updatedAt, messageCount, title }) => [
    id,
    updatedAt.slice(0, 16).replace("T", " "),
    String(messageCount),
    visibleText(title),
  ]);
  const { paint } = terminal;
  const lines = renderTable([["conversation", "changed (UTC)", "messages", "title"], ...cells], {
    width: terminal.width,
    paint: (cell, column, row) => (row === 0 ? paint.dim(cell) : column === 0 ? paint.bold(cell) : cell),
  });
  for (const line of lines) terminal.out(line);
  if (total > rows.length) terminal.note(`${total - rows.length} older ones are not shown.`);
  terminal.note("→ Go on with one: bailiwick chat --resume <conversation>");
};
