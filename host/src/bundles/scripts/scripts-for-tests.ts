/** Real scripts in a real folder, and what runs them. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ScriptEnd, ScriptOrder } from "../../kernel/script.ts";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { createGround } from "../ground.ts";
import { Redaction } from "../redaction.ts";
import { createRunScript } from "./run-script.ts";
import type { RunScriptOptions } from "./run-script-options.ts";

export interface ScriptPlace {
  /** Holds the work directory and the package. */
  readonly dir: string;
  readonly packageDir: string;
  readonly dataDir: string;
  readonly lines: string[];
  /** Runs a text of `sh`, or what else the order says. */
  readonly run: (script: string, more?: Partial<ScriptOrder>) => Promise<ScriptEnd>;
  /** The list on disk for the next boot. */
  readonly watched: () => string;
}

const OFF = { profile: "off", require: false, network: "host", read: [], write: [] } as const;

export const openPlace = (more: Partial<RunScriptOptions> = {}): ScriptPlace => {
  const dir = realpathSync(makeWorkDir());
  const packageDir = join(dir, "package");
  const workDir = join(dir, "work");
  mkdirSync(packageDir);
  mkdirSync(workDir);
  const lines: string[] = [];
  const ground = createGround({ workDir, env: process.env, warn: (message) => lines.push(`WARN ${message}`) });
  onTestFinished(() => ground.close());
  const dataDir = join(workDir, "workspaces/ws_default/data/kit");
  const runScript = createRunScript({
    ground,
    workspace: "ws_default",
    workDir,
    baseDir: dir,
    configFiles: [],
    env: process.env,
    dataDirOf: () => dataDir,
    sandbox: () => OFF,
    redaction: new Redaction(),
    ...more,
  });
  const run: ScriptPlace["run"] = (script, order = {}) => {
    const file = join(packageDir, "tool.sh");
    writeFileSync(file, script);
    return runScript({
      provider: "kit",
      packageDir,
      command: "/bin/sh",
      args: [file, "tool"],
      support: [],
      allowedEnv: [],
      roots: [],
      input: "{}",
      limitMs: 60_000,
      maxOutputBytes: 10_000_000,
      signal: new AbortController().signal,
      onStderr: (line) => lines.push(line),
      ...order,
    });
  };
  return { dir, packageDir, dataDir, lines, run, watched: () => readFileSync(join(workDir, "run/children"), "utf8") };
};

/** A length of sleep that nobody else has, and how many sleep so long. */
export const sleepers = (): { readonly seconds: string; readonly running: () => number } => {
  const seconds = String(100_000_000 + Math.floor(Math.random() * 100_000_000));
  const running = (): number => readdirSync("/proc").filter((pid) => commandOf(pid) === `sleep\0${seconds}\0`).length;
  return { seconds, running };
};

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};

export const makeProgram = (file: string, text: string): void => {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
};
