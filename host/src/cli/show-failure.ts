/** The last resort of every command: says what went wrong and what to do, and gives the exit code for it. */
import { ConfigError } from "../assembly/config-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

export interface FailureOptions {
  readonly terminal: Terminal;
  readonly debug: boolean;
  readonly json: boolean;
}

interface Failure {
  readonly code: ExitCode;
  readonly error: string;
  readonly message: string;
  readonly next: string | null;
  readonly data?: object;
}

const classify = (error: unknown): Failure => {
  if (error instanceof UsageError)
    return { code: EXIT.usage, error: "usage", message: error.message, next: error.next };
  if (error instanceof ConfigError) return { code: EXIT.usage, error: "config", message: error.message, next: null };
  if (error instanceof Refusal) {
    const code = error.row.outcome === "indeterminate" ? EXIT.unknown : EXIT.refused;
    const data = Object.keys(error.details).length === 0 ? {} : { data: error.details };
    return { code, error: error.kind, message: error.message, next: error.next, ...data };
  }
  const message = error instanceof Error ? error.message : String(error);
  const next =
    "This is a fault of Bailiwick or of this machine: bailiwick doctor looks for the latter; --debug shows where.";
  return { code: EXIT.failed, error: "failed", message, next };
};

export const showFailure = (error: unknown, { terminal, debug, json }: FailureOptions): ExitCode => {
  const failure = classify(error);
  const { code, error: kind, message, next, data } = failure;
  if (json) terminal.raw(`${JSON.stringify({ error: kind, message, remedy: next, data })}\n`);
  terminal.note(terminal.notePaint.red(message));
  if (next !== null) for (const line of next.split("\n")) terminal.note(`→ ${line}`);
  if (debug && error instanceof Error) terminal.note(error.stack);
  return code;
};
