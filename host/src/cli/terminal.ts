/**
 * Where a command writes. Results go to `out`, everything else to `note`. Colours only where a person looks at it and did
 * not ask for none.
 */
import { cleanText } from "./clean-text.ts";
import { cutText } from "./cut-text.ts";

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

export interface Terminal {
  /** A line of the result. Control characters are shown, not obeyed. */
  out(line?: string): void;
  /** Text of the result exactly as it is, for JSON and for pipes. */
  raw(text: string): void;
  /** A line beside the result. */
  note(line?: string): void;
  /** A line beside the result that the next one takes the place of; nothing where no person looks. */
  passing(line: string): void;
  /** Asks on the line where the answer is typed. */
  prompt(text: string): void;
  readonly paint: Paint;
  readonly notePaint: Paint;
  /** A person looks at the result. */
  readonly interactive: boolean;
  /** A person looks at what is beside it. */
  readonly noteInteractive: boolean;
  readonly width: number;
}

const WIDE = 100;
const CLEAR_LINE = "\r\u001B[2K";

const painter = (coloured: boolean): Paint => {
  const wrap = (code: number) => (text: string) => (coloured ? `\u001B[${code}m${text}\u001B[0m` : text);
  return { bold: wrap(1), dim: wrap(2), red: wrap(31), green: wrap(32), yellow: wrap(33) };
};

export interface TerminalOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const createTerminal = ({ stdout, stderr, env }: TerminalOptions): Terminal => {
  const plain = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const isTTY = stdout.isTTY === true;
  const noteInteractive = stderr.isTTY === true && env["TERM"] !== "dumb";
  const noteWidth = Math.max(40, stderr.columns ?? WIDE);
  let isPassing = false;
  const clear = (): string => {
    if (!isPassing) return "";
    isPassing = false;
    return CLEAR_LINE;
  };
  return {
    out: (line = "") => {
      if (isPassing) stderr.write(clear());
      stdout.write(`${cleanText(line)}\n`);
    },
    raw: (text) => stdout.write(text),
    note: (line = "") => stderr.write(`${clear()}${cleanText(line)}\n`),
    passing: (line) => {
      if (!noteInteractive) return;
      stderr.write(`${clear()}${cutText(cleanText(line), noteWidth - 1)}`);
      isPassing = true;
    },
    prompt: (text) => stderr.write(`${clear()}${cleanText(text)}`),
    paint: painter(isTTY && !plain),
    notePaint: painter(stderr.isTTY === true && !plain),
    interactive: isTTY,
    noteInteractive,
    width: isTTY ? Math.max(40, stdout.columns ?? WIDE) : Number.POSITIVE_INFINITY,
  };
};
