/** Questions to the person at the terminal. Who has none is told what to type instead. */
import { createInterface } from "node:readline";
import type { ReadStream } from "node:tty";
import type { CommandContext } from "./command.ts";
import { UsageError } from "./usage-error.ts";

type Asking = Pick<CommandContext, "stdin" | "terminal">;

export const isAtTerminal = ({ stdin }: Pick<CommandContext, "stdin">): boolean =>
  (stdin as Partial<ReadStream>).isTTY === true;

/** Only a plain yes is one. */
export const askYesNo = async (asking: Asking, question: string): Promise<boolean> =>
  isYes(await askLine(asking, `${question} [y/N] `));

/** Null: neither a plain yes nor a plain no. */
export const askDecision = async (asking: Asking, question: string): Promise<boolean | null> => {
  const answer = await askLine(asking, `${question} [yes/no, Enter leaves it] `);
  if (isYes(answer)) return true;
  return /^no?$/i.test(answer) ? false : null;
};

const isYes = (answer: string): boolean => /^y(?:es)?$/i.test(answer);

const askLine = async ({ stdin, terminal }: Asking, text: string): Promise<string> => {
  terminal.prompt(text);
  const answer = await readLine(stdin);
  if (answer === null) terminal.note("");
  return answer?.trim() ?? "";
};

/** Null: the input ended without one. */
const readLine = (stdin: NodeJS.ReadableStream): Promise<string | null> =>
  new Promise((resolve) => {
    const lines = createInterface({ input: stdin });
    let line: string | null = null;
    lines.once("line", (text) => {
      line = text;
      lines.close();
    });
    lines.once("close", () => resolve(line));
  });

const [ENTER, LINE_FEED, END, INTERRUPT, BACKSPACE, DELETE] = ["\r", "\n", "\u0004", "\u0003", "\b", "\u007F"];

/** What is typed until Enter, not shown while it is typed. */
export const askSecret = ({ stdin, terminal }: Asking, name: string): Promise<string> => {
  const tty = stdin as ReadStream;
  terminal.prompt(`${name} (not shown): `);
  tty.setRawMode(true);
  tty.setEncoding("utf8");
  return new Promise((resolve, reject) => {
    let typed = "";
    const finish = (end: () => void): void => {
      tty.off("data", onData);
      tty.setRawMode(false);
      tty.pause();
      terminal.note("");
      end();
    };
    const onData = (text: string | Buffer): void => {
      for (const sign of String(text)) {
        if (sign === ENTER || sign === LINE_FEED || sign === END) return finish(() => resolve(typed));
        if (sign === INTERRUPT) return finish(() => reject(new UsageError("Nothing was stored.")));
        typed = sign === BACKSPACE || sign === DELETE ? typed.slice(0, -1) : typed + sign;
      }
    };
    tty.on("data", onData);
    tty.resume();
  });
};
