/** The MCP conformance suite as a command, and what it left about each scenario. */
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];
type Leg = "server" | "client";

export interface SuiteRun {
  /** `conforms`, or what the suite wrote in the end. */
  readonly verdict: string;
  /** What a scenario found wrong, one line a check; empty when it passed, null when it did not run. */
  failuresOf(scenario: string): readonly string[] | null;
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly description: string;
  readonly errorMessage?: string;
}

const CLIENT = fileURLToPath(new URL("../../test/conformance/client.mjs", import.meta.url));
/** Starts the host's upstream connector as the client under test. */
export const CLIENT_COMMAND = `${process.execPath} ${CLIENT}`;

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const SUITE = join(dirname(manifest), "dist", "index.js");

/** The scenarios that a revision requires of one leg, from the suite's own frozen list. */
export const requiredOf = (revision: Revision, leg: Leg): readonly string[] => {
  const lines = readFileSync(join(dirname(manifest), "requirements", `${revision}.yaml`), "utf8").split("\n");
  const begin = lines.indexOf(`${leg}:`) + 1;
  const after = lines.findIndex((line, at) => at >= begin && /^\w/.test(line));
  return lines.slice(begin, after).flatMap((line) => /^ {2}- (\S+)/.exec(line)?.[1] ?? []);
};

export const runSuite = async (leg: Leg, args: readonly string[]): Promise<SuiteRun> => {
  const out = mkdtempSync(join(tmpdir(), "bailiwick-suite-"));
  try {
    const { code, output } = await run([SUITE, leg, ...args, "-o", out]);
    const checks = readChecks(out);
    return {
      verdict: code === 0 ? "conforms" : summaryOf(output),
      failuresOf: (scenario) => checks.get(scenario)?.flatMap(describeFailure) ?? null,
    };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
};

const run = async (args: readonly string[]): Promise<{ code: number | null; output: string }> => {
  const env = { ...process.env, NO_COLOR: "1" };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const collect = (text: string): void => {
    output += text;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
};

const summaryOf = (output: string): string => {
  const plain = stripVTControlCharacters(output);
  return plain.slice(Math.max(0, plain.search(/^=== (SUITE )?SUMMARY ===$/m)));
};

/** A folder a scenario: its name, of the server leg with `server-` before it, and the time. */
const readChecks = (out: string): ReadonlyMap<string, readonly Check[]> =>
  new Map(
    globSync("**/checks.json", { cwd: out }).map((file) => {
      const scenario = dirname(file).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
      const checks = JSON.parse(readFileSync(join(out, file), "utf8")) as Check[];
      return [scenario, checks];
    }),
  );

const describeFailure = ({ id, status, description, errorMessage }: Check): readonly string[] =>
  status === "FAILURE" ? [`${id}: ${errorMessage ?? description}`] : [];
