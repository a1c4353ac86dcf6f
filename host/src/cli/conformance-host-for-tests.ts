/**
 * The built program with one bundle, `fixture`: the server that the conformance suite expects, in one era, over one
 * transport. Without auth as `serve --no-auth` runs, or with it, behind a relay that shows the owner's key.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startRelay } from "./conformance-relay-for-tests.ts";

const BIN = fileURLToPath(new URL("../../bin/bailiwick", import.meta.url));
const SERVER = fileURLToPath(new URL("../../test/fixtures/conformance/server.mjs", import.meta.url));
const STOP_MS = 20_000;

export interface FixtureHostOptions {
  readonly era: "legacy" | "modern";
  readonly transport: "stdio" | "http";
  readonly auth?: boolean;
}

export interface FixtureHost {
  /** Of the one provider, on `localhost` as the suite wants it. */
  readonly url: string;
  stop(): Promise<void>;
}

interface Line {
  readonly event?: string;
  readonly state?: string;
  readonly origin?: string;
  readonly keyFile?: string;
  readonly port?: number;
}

type Undo = () => Promise<unknown>;

/** Resolves when the fixture runs. */
export const startFixtureHost = async (options: FixtureHostOptions): Promise<FixtureHost> => {
  const undo: Undo[] = [];
  const stop = async (): Promise<void> => {
    const step = undo.pop();
    if (!step) return;
    try {
      await step();
    } finally {
      await stop();
    }
  };
  try {
    return { url: await open(options, undo), stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
};

const open = async ({ era, transport, auth = false }: FixtureHostOptions, undo: Undo[]): Promise<string> => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-conformance-"));
  undo.push(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const bundle = transport === "stdio" ? { path: writeBundle(dir, era) } : { url: await startRemote(era, undo) };
  const config = join(dir, "bailiwick.json");
  // The suite has the fixture add tools and take them away again.
  const entry = { ...bundle, serverName: "fixture", pinning: "warn" };
  const content = { allowInsecureRemotes: true, noDefaultBundles: true, bundles: [entry] };
  writeFileSync(config, JSON.stringify(content));
  const args = ["serve", "--config", config, "--workdir", join(dir, "work"), "--port", "0", "--json"];
  const host = launch("sh", [BIN, ...args, ...(auth ? [] : ["--no-auth"])]);
  undo.push(() => stopHost(host));
  const { origin, keyFile } = await whenRunning(host);
  const port = auth ? await startRelay({ origin, key: readFileSync(keyFile, "utf8").trim() }, undo) : portOf(origin);
  return `http://localhost:${port}/mcp/providers/fixture`;
};

const portOf = (origin: string): number => Number(new URL(origin).port);

const writeBundle = (dir: string, era: string): string => {
  const path = join(dir, "fixture");
  const args = [SERVER, "--era", era, "--transport", "stdio"];
  const manifest = {
    manifest_version: "0.3",
    name: "fixture",
    version: "1.0.0",
    description: "What the conformance suite expects.",
    author: { name: "tests" },
    server: { type: "node", entry_point: "server.mjs", mcp_config: { command: process.execPath, args } },
  };
  mkdirSync(path);
  writeFileSync(join(path, "manifest.json"), JSON.stringify(manifest));
  return path;
};

const startRemote = async (era: string, undo: Undo[]): Promise<string> => {
  const child = launch(process.execPath, [SERVER, "--era", era, "--transport", "http"]);
  child.stderr?.pipe(process.stderr);
  undo.push(() => end(child, "SIGKILL"));
  for await (const { port } of linesOf(child)) return `http://127.0.0.1:${port}/mcp`;
  throw new Error("The fixture ended before it listened");
};

const launch = (command: string, args: readonly string[]): ChildProcess => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const kill = (): boolean => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("close", () => process.off("exit", kill));
  return child;
};

const whenRunning = async (host: ChildProcess): Promise<{ readonly origin: string; readonly keyFile: string }> => {
  let stderr = "";
  host.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  let listening: Line | null = null;
  for await (const line of linesOf(host)) {
    if (line.event === "listening") listening = line;
    else if (line.event === "provider" && line.state !== "starting") {
      const { origin, keyFile } = listening ?? {};
      if (line.state === "running" && origin && keyFile) return { origin, keyFile };
      throw new Error(JSON.stringify(line));
    }
  }
  throw new Error(`The host ended before the fixture ran. ${stderr}`);
};

/** Reading stops with the loop; what comes later is discarded, so that the program never blocks on its output. */
const linesOf = async function* (child: ChildProcess): AsyncGenerator<Line> {
  const stdout = child.stdout as NodeJS.ReadableStream;
  try {
    for await (const line of createInterface({ input: stdout })) yield JSON.parse(line) as Line;
  } finally {
    stdout.resume();
  }
};

const stopHost = async (host: ChildProcess): Promise<void> => {
  const late = setTimeout(() => host.kill("SIGKILL"), STOP_MS);
  const code = await end(host, "SIGTERM").finally(() => clearTimeout(late));
  if (code !== 0) throw new Error(`The host did not end cleanly (code ${code}).`);
};

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.kill(signal);
  return closed;
};
