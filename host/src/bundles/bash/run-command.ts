/**
 * Runs one command of a shell and ends all of it: when it is done, when its time is over, when nobody wants it any more.
 * Holds no more of what it writes than it answers.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants as files } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { MAX_CHARACTERS } from "./exec-tool.ts";

export interface CommandOrder {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly timedOut: boolean;
}

/** For what left the group and still holds the pipes. */
const DRAIN_MS = 500;
const SIGNAL_BASE = 128;

const findShell = (path: string): string => {
  const found = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, "bash"))
    .find((file) => {
      try {
        accessSync(file, files.X_OK);
        return true;
      } catch {
        return false;
      }
    });
  return found ?? "/bin/sh";
};

/** Rejects when it cannot be started at all. */
export const runCommand = ({ command, cwd, timeoutMs, signal }: CommandOrder): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(findShell(process.env["PATH"] ?? ""), ["-c", command], {
      cwd,
      // A group of its own, which ends as one.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    const end = (): void => endGroup(child);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    signal.addEventListener("abort", end, { once: true });
    const leave = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    };
    child.once("error", (error) => {
      leave();
      reject(error);
    });
    child.once("exit", (code, by) => {
      end();
      const exitCode = code ?? SIGNAL_BASE + (by === null ? 0 : system.signals[by]);
      const drain = setTimeout(() => [child.stdout, child.stderr].forEach((pipe) => pipe.destroy()), DRAIN_MS);
      child.once("close", () => {
        clearTimeout(drain);
        leave();
        resolve({ stdout: stdout(), stderr: stderr(), exitCode, timedOut });
      });
    });
  });

const endGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
};

/** Reads to the end and keeps the beginning. */
const collect = (pipe: Readable): (() => string) => {
  const decoder = new StringDecoder("utf8");
  let text = "";
  pipe.on("data", (chunk: Buffer) => {
    if (text.length <= MAX_CHARACTERS) text += decoder.write(chunk);
  });
  pipe.on("error", () => {});
  return () => cut(text.length <= MAX_CHARACTERS ? text + decoder.end() : text);
};

/** Not in the middle of a character. */
const cut = (text: string): string => {
  if (text.length <= MAX_CHARACTERS) return text;
  const last = text.charCodeAt(MAX_CHARACTERS - 1);
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? MAX_CHARACTERS - 1 : MAX_CHARACTERS);
};
