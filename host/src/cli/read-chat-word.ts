/** What is typed at the prompt of a chat that is not for the agent. Pure. */
export type ChatWord =
  | { readonly kind: "help" | "quit" | "new" | "skills" }
  | { readonly kind: "resume"; readonly id: string }
  /** A lone word that is none of ours; it may be a skill's name. */
  | { readonly kind: "other"; readonly name: string };

const PLAIN = { "/help": "help", "/quit": "quit", "/exit": "quit", "/new": "new", "/skills": "skills" } as const;

/** Null: a message. */
export const readChatWord = (line: string): ChatWord | null => {
  const [word = "", ...rest] = line.split(/\s+/);
  if (word === "/resume") return { kind: "resume", id: rest.join(" ") };
  if (rest.length > 0) return null;
  if (Object.hasOwn(PLAIN, word)) return { kind: PLAIN[word as keyof typeof PLAIN] };
  return /^\/[\w-]+$/.test(word) ? { kind: "other", name: word.slice(1) } : null;
};

export const CHAT_WORDS = [
  "/new            begin a new conversation",
  "/resume <id>    go on with another one",
  "/skills         list the skills; /<skill> <message> uses one",
  "/quit           leave; so does the end of input, and Ctrl-C at the prompt",
  "Ctrl-C cancels the message that is being answered; a second one leaves at once.",
] as const;
