/** The program itself as processes, from its source, in a directory of its own with one real bundle. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const SERVER = fileURLToPath(new URL("../../test/fixtures/cli-server.mjs", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Serving {
  readonly pid: number;
  /** All of stdout up to now. */
  out(): string;
  err(): string;
  /** Resolves when stdout holds this. */
  says(text: string | RegExp): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
}

export interface Cli {
  readonly dir: string;
  readonly workDir: string;
  configure(config: object | string): void;
  run(args: readonly string[], input?: string): Promise<Ran>;
  start(args: readonly string[]): Serving;
  clean(): Promise<void>;
}

const PATIENCE_MS = 20_000;

const manifest = {
  manifest_version: "0.3",
  name: "demo",
  version: "1.0.0",
  description: "A server for tests.",
  author: { name: "tests" },
  server: { type: "node", entry_point: SERVER, mcp_config: { command: "node", args: [SERVER] } },
};

export const createCli = (): Cli => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-cli-"));
  mkdirSync(join(dir, "demo"));
  writeFileSync(join(dir, "demo", "manifest.json"), JSON.stringify(manifest));
  const started = new Set<Promise<unknown>>();
  const children = new Set<ChildProcess>();

  const launch = (args: readonly string[]): ChildProcess => {
    const env = { PATH: process.env["PATH"], HOME: dir };
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: dir, env, stdio: ["pipe", "pipe", "pipe"] });
    children.add(child);
    started.add(new Promise((resolve) => child.once("close", resolve)));
    return child;
  };

  return {
    dir,
    workDir: join(dir, "work"),
    configure(config) {
      writeFileSync(join(dir, "bailiwick.json"), typeof config === "string" ? config : JSON.stringify(config));
    },
    async run(args, input = "") {
      const child = launch(args);
      const texts = collect(child);
      child.stdin?.end(input);
      const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
      return { code, out: texts.out(), err: texts.err() };
    },
    start(args) {
      const child = launch(args);
      const texts = collect(child);
      const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
      return {
        ...texts,
        pid: child.pid ?? 0,
        says: (text) =>
          waitFor(
            () => (typeof text === "string" ? texts.out().includes(text) : text.test(texts.out())),
            () => `${String(text)} in: ${texts.out()} ${texts.err()}`,
          ),
        signal: (signal) => void child.kill(signal),
        exited,
      };
    },
    async clean() {
      for (const child of children) if (child.exitCode === null) child.kill("SIGTERM");
      await Promise.all(started);
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

const collect = (child: ChildProcess): { out(): string; err(): string } => {
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  return { out: () => out, err: () => err };
};

const waitFor = async (done: () => boolean, describe: () => string): Promise<void> => {
  const end = Date.now() + PATIENCE_MS;
  while (!done()) {
    if (Date.now() > end) throw new Error(`not within ${PATIENCE_MS} ms: ${describe()}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
};

/** What most tests configure: the one bundle. */
export const DEMO = { workDir: "work", noDefaultBundles: true, bundles: [{ path: "demo" }] } as const;
