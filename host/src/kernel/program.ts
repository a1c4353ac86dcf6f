/** A program that runs beside the host for long and is talked to over a channel of its own: what it prints is never an answer. */
import type { Duplex } from "node:stream";
import type { ScriptOrder } from "./script.ts";

export interface ProgramOrder extends Pick<
  ScriptOrder,
  "provider" | "packageDir" | "command" | "args" | "support" | "allowedEnv"
> {
  /** Each line that it prints, to stdout or stderr, redacted. */
  readonly onLine: (line: string) => void;
}

export interface Program {
  /** The program has it as descriptor 4, both ways; 3 is where a sandbox reads its settings. */
  readonly channel: Duplex;
  /** Resolves when it is gone, with how it went; never rejects. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** The text without the secrets that the program was given. */
  clean(text: string): string;
  /** Ends it and all that it started, and resolves when nothing of it is left; never rejects. */
  end(): Promise<void>;
}

/** Rejects with ScriptNotStarted when nothing could be started; with anything else it is a bug. */
export type StartProgram = (order: ProgramOrder) => Promise<Program>;
