/** `bailiwick mcp` as clients start it: a process with pipes, in a directory of its own with two real bundles. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ModernSdk } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as LegacySdk } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createCli, type Cli } from "./cli-for-tests.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const ASKING = fileURLToPath(new URL("../../test/fixtures/asking-server.mjs", import.meta.url));
const INFO = { name: "tests", version: "1.0.0" };

/** Two bundles: `demo` with a tool for each way to end, `asking` whose tools ask back. */
export const createMcpCli = (): Cli => {
  const cli = createCli();
  mkdirSync(join(cli.dir, "asking"));
  const manifest = {
    manifest_version: "0.3",
    name: "asking",
    version: "1.0.0",
    description: "Asks.",
    author: { name: "tests" },
    server: { type: "node", entry_point: ASKING, mcp_config: { command: "node", args: [ASKING, "stdio"] } },
  };
  writeFileSync(join(cli.dir, "asking", "manifest.json"), JSON.stringify(manifest));
  cli.configure({ workDir: "work", bundles: [{ path: "demo" }, { path: "asking" }] });
  return cli;
};

const processOf = ({ dir }: Cli, args: readonly string[]) => ({
  command: process.execPath,
  args: [MAIN, "mcp", ...args],
  cwd: dir,
  env: { PATH: process.env["PATH"] ?? "", HOME: dir },
  stderr: "ignore" as const,
});

export interface StdioClient {
  tools(): Promise<readonly string[]>;
  call(name: string, args: object, options?: { onprogress?: () => void; signal?: AbortSignal }): Promise<any>;
  pid(): number;
  close(): Promise<void>;
}

/** Each answers every elicitation with the name Ada. */
export type ConnectStdio = (cli: Cli, ...args: readonly string[]) => Promise<StdioClient>;

const ACCEPTED = { action: "accept", content: { name: "Ada" } } as const;
const capabilities = { elicitation: {} };
const namesOf = ({ tools }: { tools: readonly { name: string }[] }): string[] => tools.map(({ name }) => name);

const connectLegacySdk: ConnectStdio = async (cli, ...args) => {
  const client = new LegacySdk(INFO, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => ACCEPTED);
  const transport = new LegacyTransport(processOf(cli, args));
  await client.connect(transport);
  return {
    tools: async () => namesOf(await client.listTools()),
    call: (name, given, options) => client.callTool({ name, arguments: { ...given } }, undefined, options),
    pid: () => transport.pid ?? 0,
    close: () => client.close(),
  };
};

const connectModernSdk =
  (mode: "legacy" | { pin: string }): ConnectStdio =>
  async (cli, ...args) => {
    const client = new ModernSdk(INFO, { capabilities, versionNegotiation: { mode } });
    client.setRequestHandler("elicitation/create", () => ACCEPTED);
    const transport = new ModernTransport(processOf(cli, args));
    await client.connect(transport);
    return {
      tools: async () => namesOf(await client.listTools()),
      call: (name, given, options) => client.callTool({ name, arguments: { ...given } }, options),
      pid: () => transport.pid ?? 0,
      close: () => client.close(),
    };
  };

export const STDIO_CLIENTS: readonly (readonly [string, ConnectStdio])[] = [
  ["SDK v1", connectLegacySdk],
  ["SDK v2, legacy", connectModernSdk("legacy")],
  ["SDK v2, modern", connectModernSdk({ pin: "2026-07-28" })],
];

export interface McpProcess {
  readonly pid: number;
  write(text: string): void;
  request(id: unknown, method: string, params?: object): void;
  endInput(): void;
  signal(signal: NodeJS.Signals): void;
  /** Every line of stdout, parsed; throws when one is no JSON. */
  said(): any[];
  err(): string;
  readonly exited: Promise<number | null>;
}

/** Without any library between. */
export const startMcp = (cli: Cli, ...args: readonly string[]): McpProcess => {
  const { command, args: all, cwd, env } = processOf(cli, args);
  const child = spawn(command, all, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  return {
    pid: child.pid ?? 0,
    write: (text) => void child.stdin.write(text),
    request: (id, method, params = {}) =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    endInput: () => void child.stdin.end(),
    signal: (signal) => void child.kill(signal),
    said: () =>
      out
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    err: () => err,
    exited: new Promise((resolve) => void child.once("close", resolve)),
  };
};

/** The process groups that a host in this work directory has started. */
export const childrenOf = ({ workDir }: Cli): readonly number[] =>
  readFileSync(join(workDir, "run", "children"), "utf8")
    .split("\n")
    .filter((line) => /^\d/.test(line))
    .map((line) => Number(line.split(" ")[0]));

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
