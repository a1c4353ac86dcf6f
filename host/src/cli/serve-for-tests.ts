/**
 * Runs the built program as its users do: a process of its own, a fresh work directory, a free port. Everything that it
 * starts or writes is gone after `stop`, and nothing is left behind when it does not come up.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../bundle/run/main.js", import.meta.url));
export const FIXTURES = fileURLToPath(new URL("../../test/fixtures/", import.meta.url));
const STOP_MS = 20_000;

export interface BundleOrder {
  /** What `node` is given to start the server. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** More of its entry. */
  readonly entry?: Readonly<Record<string, unknown>>;
  /** More of its manifest. */
  readonly manifest?: Readonly<Record<string, unknown>>;
}

export interface WorkspaceOrder {
  readonly members?: readonly string[];
  readonly bundles?: Readonly<Record<string, BundleOrder>>;
}

export interface ServeOptions {
  /** By name: servers that the host starts over stdio. */
  readonly bundles?: Readonly<Record<string, BundleOrder>>;
  /** By name: URLs of servers on this machine. */
  readonly remotes?: Readonly<Record<string, string>>;
  /** More of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** By id: workspaces beside the default one. */
  readonly workspaces?: Readonly<Record<string, WorkspaceOrder>>;
  /** More flags of `serve`. */
  readonly flags?: readonly string[];
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Served {
  readonly origin: string;
  readonly mcpUrl: string;
  /** The owner's. */
  readonly key: string;
  readonly workDir: string;
  readonly pid: number;
  /** Runs another command of the program on the same work directory. */
  run(...args: readonly string[]): Promise<Finished>;
  /** Ends it as Ctrl-C does and removes its files; rejects when it does not end cleanly. */
  stop(): Promise<void>;
}

/** Resolves when every provider runs. */
export const serve = async (options: ServeOptions): Promise<Served> => {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing. Run: npm run build`);
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-serve-"));
  const workDir = join(dir, "work");
  const config = join(dir, "bailiwick.json");
  writeFileSync(config, JSON.stringify(configOf(dir, options)));
  for (const [id, order] of Object.entries(options.workspaces ?? {})) writeWorkspace(workDir, id, order);
  const place = ["--config", config, "--workdir", workDir];
  const child = start(["serve", ...place, "--port", "0", "--json", ...(options.flags ?? [])]);
  const remove = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const names = [...Object.keys(options.bundles ?? {}), ...Object.keys(options.remotes ?? {})];
    const { origin, mcpUrl, keyFile } = await whenUp(child, new Set(names));
    return {
      origin,
      mcpUrl,
      key: readFileSync(keyFile, "utf8").trim(),
      workDir,
      pid: child.process.pid as number,
      run: (...args) => start([...args, ...place]).finished,
      stop: () => end(child).finally(remove),
    };
  } catch (error) {
    await end(child).catch(() => {});
    remove();
    throw error;
  }
};

const configOf = (dir: string, { bundles = {}, remotes = {}, config }: ServeOptions): object => ({
  allowInsecureRemotes: true,
  noDefaultBundles: true,
  ...config,
  bundles: [...entriesOf(dir, bundles), ...Object.entries(remotes).map(([serverName, url]) => ({ url, serverName }))],
});

const entriesOf = (dir: string, bundles: Readonly<Record<string, BundleOrder>>): object[] =>
  Object.entries(bundles).map(([serverName, order]) =>
    Object.assign({ path: writeBundle(dir, serverName, order), serverName }, order.entry),
  );

const writeWorkspace = (workDir: string, id: string, { members = [], bundles = {} }: WorkspaceOrder): void => {
  const dir = join(workDir, "workspaces", id);
  mkdirSync(dir, { recursive: true });
  const text = JSON.stringify({ members, noDefaultBundles: true, bundles: entriesOf(dir, bundles) });
  writeFileSync(join(dir, "workspace.json"), text);
};

const writeBundle = (dir: string, name: string, { args, env = {}, manifest: more }: BundleOrder): string => {
  const path = join(dir, "bundles", name);
  mkdirSync(path, { recursive: true });
  const server = { type: "node", entry_point: "server.js", mcp_config: { command: "node", args, env } };
  const manifest = {
    manifest_version: "0.3",
    name,
    version: "1.0.0",
    description: name,
    author: { name: "tests" },
    server,
    ...more,
  };
  writeFileSync(join(path, "manifest.json"), JSON.stringify(manifest));
  return path;
};

interface Started {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
}

const start = (args: readonly string[]): Started => {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const kill = (): boolean => child.kill("SIGKILL");
  process.once("exit", kill);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("exit", kill);
      resolve({ code, stdout, stderr });
    });
  });
  return { process: child, finished };
};

interface ServeEvent {
  readonly event: string;
  readonly origin: string;
  readonly mcpUrl: string;
  readonly keyFile: string;
  readonly name: string;
  readonly state: string;
}

const whenUp = async (child: Started, waiting: Set<string>): Promise<ServeEvent> => {
  let listening: ServeEvent | null = null;
  for await (const line of createInterface({ input: child.process.stdout as NodeJS.ReadableStream })) {
    const event = JSON.parse(line) as ServeEvent;
    if (event.event === "listening") listening = event;
    else if (event.event === "provider" && event.state === "running") waiting.delete(event.name);
    else if (event.event === "provider" && event.state !== "starting") throw new Error(line);
    if (listening && waiting.size === 0) return listening;
  }
  const { code, stderr } = await child.finished;
  throw new Error(`The host ended with code ${code} before all was up. ${stderr}`);
};

const end = async (child: Started): Promise<void> => {
  child.process.kill("SIGTERM");
  const late = setTimeout(() => child.process.kill("SIGKILL"), STOP_MS);
  const { code, stderr } = await child.finished.finally(() => clearTimeout(late));
  if (code !== 0) throw new Error(`The host did not end cleanly (code ${code}). ${stderr}`);
};
