/** What the tests of the Python runner share, and whether this machine can run them. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { locateRunner } from "./locate-runner.ts";

const findFault = (): string | null => {
  try {
    execFileSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 8))"], { stdio: "ignore" });
    return null;
  } catch {
    return "there is no python3 of version 3.8 or newer on the PATH";
  }
};

/** Why no Python script can be run here; null: it can. */
export const noPython: string | null = findFault();

/** For a title, so that a run says what it left out. */
export const unlessNoPython = noPython === null ? "" : ` (left out: ${noPython})`;

export interface PythonRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What stdout says, parsed. */
  readonly said: () => unknown;
}

const PATH = process.env["PATH"] ?? "";

export const runPython = (args: readonly string[], input: string): PythonRun => {
  const options = { input, encoding: "utf8", env: { PATH }, maxBuffer: 64 << 20 } as const;
  const { status: code, stdout, stderr } = spawnSync("python3", ["-B", ...args], options);
  return { code, stdout, stderr, said: () => JSON.parse(stdout) as unknown };
};

export interface ToolOrder {
  readonly tool?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly roots?: unknown;
  /** Other files beside the script. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs a script as the host would have it run. */
export const runTool = (
  script: string,
  { tool = "act", args = {}, roots = null, files = {} }: ToolOrder = {},
): PythonRun => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-python-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ ...files, "script.py": script })) writeFileSync(join(dir, name), text);
  const input = JSON.stringify({ tool, arguments: args, _workspace_roots: roots, context: {} });
  return runPython([locateRunner().file, join(dir, "script.py"), tool], input);
};
