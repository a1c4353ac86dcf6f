/**
 * What the person at the terminal types, line by line, for as long as a chat goes on. Where it can, with editing and
 * history.
 */
import { createInterface } from "node:readline";
import type { CommandContext } from "./command.ts";

export interface Lines {
  /** Null: the input ended. */
  ask(prompt: string): Promise<string | null>;
  /** What was typed before the question was there is no answer to it. Null: the input ended, or the signal came first. */
  askAnew(prompt: string, signal: AbortSignal): Promise<string | null>;
  close(): void;
}

/** So much may be typed ahead. */
const MOST_AHEAD = 100;

export const openLines = (
  { stdin, terminal }: Pick<CommandContext, "stdin" | "terminal">,
  onInterrupt: () => void,
): Lines => {
  const isEditable = stdin === process.stdin && process.stdin.isTTY && terminal.noteInteractive;
  const reader = createInterface(
    isEditable ? { input: stdin, output: process.stderr, terminal: true } : { input: stdin },
  );
  const ahead: string[] = [];
  let waiting: ((line: string | null) => void) | null = null;
  let isClosed = false;
  let isQuestion = false;
  const give = (line: string | null): void => {
    const take = waiting;
    waiting = null;
    take?.(line);
  };
  reader.on("line", (line) => {
    if (waiting !== null) give(line);
    else if (ahead.length < MOST_AHEAD) ahead.push(line);
    else terminal.note(`A line was left out: at most ${MOST_AHEAD} may be typed ahead.`);
  });
  reader.on("close", () => {
    isClosed = true;
    give(null);
  });
  // An answer is nothing to go back to.
  reader.on("history", (history: string[]) => {
    if (isQuestion) history.shift();
  });
  reader.on("SIGINT", () => {
    if (isQuestion) terminal.note("");
    onInterrupt();
  });
  const wait = (prompt: string): Promise<string | null> => {
    terminal.prompt(isEditable ? "" : prompt);
    if (isEditable && !isClosed) {
      reader.setPrompt(prompt);
      reader.prompt();
    }
    return new Promise((resolve) => {
      if (isClosed) resolve(null);
      else waiting = resolve;
    });
  };
  return {
    async ask(prompt) {
      const line = ahead.shift() ?? (await wait(prompt));
      if (line === null) terminal.note("");
      return line;
    },
    async askAnew(prompt, signal) {
      if (signal.aborted) return null;
      const leave = (): void => give(null);
      signal.addEventListener("abort", leave, { once: true });
      isQuestion = true;
      const line = await wait(prompt);
      isQuestion = false;
      signal.removeEventListener("abort", leave);
      if (line === null) terminal.note("");
      return line;
    },
    close: () => reader.close(),
  };
};
