/** The built host as a process, with drill servers as bundles, for tests that kill it. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../../bin/bailiwick", import.meta.url));
const SERVER = fileURLToPath(new URL("../../test/fixtures/drill-server.mjs", import.meta.url));

export interface Reply {
  readonly status: number;
  readonly body: any;
}

export interface Served {
  readonly origin: string;
  readonly pid: number;
  readonly key: string;
  call(name: string, args: object): Promise<Reply>;
  /** Resolves when the host says that this provider runs. */
  running(provider: string): Promise<void>;
  kill(): void;
  stop(): Promise<number | null>;
}

export interface Drill {
  readonly dir: string;
  readonly workDir: string;
  callsFile(provider: string): string;
  serve(): Promise<Served>;
  until(done: () => boolean): Promise<void>;
  /** Processes of this drill that are still there after at most `ms`. */
  leftovers(ms: number): Promise<string[]>;
  clean(): Promise<void>;
}

const writeBundle = (dir: string, name: string): string => {
  mkdirSync(join(dir, name), { recursive: true });
  const manifest = {
    manifest_version: "0.3",
    name,
    version: "1.0.0",
    description: "A drill server.",
    author: { name: "drill" },
    server: { type: "node", entry_point: "server.mjs", mcp_config: { command: "node", args: [SERVER] } },
  };
  writeFileSync(join(dir, name, "manifest.json"), JSON.stringify(manifest));
  return join(dir, name);
};

/** Everything whose environment names this drill's directory. */
const processesOf = (dir: string): string[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(dir);
      } catch {
        return false;
      }
    });

export const createDrill = async (providers: readonly string[], settings: object = {}): Promise<Drill> => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-drill-"));
  const workDir = join(dir, "work");
  const callsFile = (provider: string): string => join(dir, `${provider}.calls`);
  const bundles = providers.map((name) => {
    writeFileSync(callsFile(name), "");
    return { path: writeBundle(dir, name), env: { DRILL_CALLS: callsFile(name) } };
  });
  const config = join(dir, "bailiwick.json");
  writeFileSync(config, JSON.stringify({ noDefaultBundles: true, bundles, ...settings }));
  const started: ChildProcess[] = [];

  const until = async (done: () => boolean): Promise<void> => {
    const end = Date.now() + 10_000;
    while (!done()) {
      if (Date.now() > end) throw new Error("it did not happen within 10 s");
      await sleep(10);
    }
  };

  return {
    dir,
    workDir,
    callsFile,
    until,
    async serve() {
      const child = spawn("sh", [COMMAND, "serve", "--config", config, "--workdir", workDir, "--port", "0", "--json"], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { PATH: process.env["PATH"], HOME: dir, ...probed() },
      });
      started.push(child);
      return served(child, workDir, until);
    },
    async leftovers(ms) {
      const end = Date.now() + ms;
      while (processesOf(dir).length > 0 && Date.now() < end) await sleep(50);
      return processesOf(dir);
    },
    async clean() {
      for (const child of started) child.kill("SIGKILL");
      const end = Date.now() + 5_000;
      while (processesOf(dir).length > 0 && Date.now() < end) await sleep(50);
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

/** What a heap probe around the start wants the host to have. */
const probed = (): Record<string, string | undefined> => {
  const { HEAP_PROBE, NODE_OPTIONS } = process.env;
  return HEAP_PROBE === undefined ? {} : { HEAP_PROBE, NODE_OPTIONS };
};

const served = async (child: ChildProcess, workDir: string, until: Drill["until"]): Promise<Served> => {
  const states = new Map<string, string>();
  let origin = "";
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const event = JSON.parse(line) as { event: string; origin: string; name: string; state: string };
    if (event.event === "listening") origin = event.origin;
    if (event.event === "provider") states.set(event.name, event.state);
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  await until(() => origin !== "" || child.exitCode !== null);
  if (origin === "") throw new Error(`the host ended with ${child.exitCode}`);
  const key = readFileSync(join(workDir, "owner.key"), "utf8").trim();
  const agent = new Agent({ keepAlive: true });
  return {
    origin,
    pid: child.pid!,
    key,
    call: (name, args) => post(agent, `${origin}/v1/tools/call`, { key, body: { name, arguments: args } }),
    running: (provider) => until(() => states.get(provider) === "running"),
    kill: () => void child.kill("SIGKILL"),
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
};

const post = (agent: Agent, url: string, { key, body }: { key: string; body: object }): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
