/** The commands that talk with the host's agent, and show what it would be told. */
import type { Command, Flag } from "./command.ts";

const SKILL: Readonly<Record<string, Flag>> = {
  model: { value: "model", help: "provider:model, or a model of the default provider (default: the conversation's)" },
  skill: { value: "name", help: "the skill to use (default: whichever matches)" },
  "no-skill": { help: "use no skill" },
};

const RESUME: Readonly<Record<string, Flag>> = {
  resume: { value: "id", help: "go on with this conversation (default: a new one)" },
};

const chat: Command = {
  name: "chat",
  summary: "talk with the host's agent; its tool calls pass every check, and you approve in place",
  usage: "[message]",
  args: [0, 1],
  flags: { ...RESUME, ...SKILL, list: { help: "list the last 20 conversations and talk with nobody" } },
  more: [
    "Without a message it asks for one after another; from a pipe it takes one message a line, in one conversation.",
    "The answer goes to standard output as it comes, tool calls and all else to standard error.",
    "With --json it writes one result, or {error, message, remedy}, a line.",
    "Exit code: 0 done, 1 failed, 2 no model configured, 3 refused, 4 waiting for approval, 5 a call's outcome is unknown.",
    `  bailiwick chat "Which reports are new?"`,
  ],
  load: async () => (await import("./run-chat.ts")).runChat,
};

/** `bailiwick` without a command. */
export const BARE: Command = { ...chat, load: async () => (await import("./run-bare-chat.ts")).runBareChat };

const prompt: Command = {
  name: "prompt",
  summary: "show what the model would get for a message, layer by layer; send nothing",
  usage: "<message>",
  args: [1, 1],
  flags: { ...RESUME, ...SKILL },
  more: [`  bailiwick prompt "Which reports are new?"`],
  load: async () => (await import("./run-prompt.ts")).runPrompt,
};

export const CHAT_COMMANDS: readonly Command[] = [chat, prompt];
