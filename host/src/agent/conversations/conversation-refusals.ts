/** Every "no" of the conversations. */
import { Refusal } from "../../kernel/refusal.ts";

const LIST = "List your conversations: bailiwick chat --list, or GET /v1/conversations";

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80));

export const badId = (id: string): Refusal =>
  new Refusal("bad_request", {
    message: `${quoted(id)} is no id of a conversation.`,
    next: `Give "conv_" and 6 to 64 lower-case letters or digits. ${LIST}`,
  });

export const unknownConversation = (id: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no conversation ${id} in this workspace.`,
    next: LIST,
  });

export const badQuery = (what: string, next: string): Refusal => new Refusal("bad_request", { message: what, next });

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "an error";

export const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT";

/** What the operating system says no to. A Refusal stays what it is, and a bug too. */
export const notOnDisk = (error: unknown, path: string): unknown => {
  if (error instanceof Refusal || (error as NodeJS.ErrnoException).syscall === undefined) return error;
  const code = codeOf(error);
  return new Refusal("unavailable", {
    message: `${path} cannot be read or written (${code}).`,
    next: nextAfter(code, path),
  });
};

const nextAfter = (code: string, path: string): string => {
  if (code === "ENOSPC" || code === "EDQUOT") return "Make room on the disk, then send it again.";
  if (code === "EMFILE" || code === "ENFILE") return "Send it again in a moment: too many files are open.";
  return `Let the user that the host runs as read and write ${path}, then send it again.`;
};

export const changedMeanwhile = (path: string): Refusal =>
  new Refusal("unavailable", {
    message: `${path} was changed by another program, so nothing was added to it.`,
    next: "Send it again: the file is read anew.",
  });

export const tooLarge = (id: string, what: string): Refusal =>
  new Refusal("too_large", {
    message: `${what} of the conversation ${id} is too large to be kept.`,
    next: "Begin a new conversation, or fork this one at an earlier message.",
  });
