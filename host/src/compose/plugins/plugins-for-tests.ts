/** For tests: a work directory with plug-ins in it, and real processes for them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import type { ProgramOrder, StartProgram } from "../../kernel/program.ts";
import { temporaryDir } from "../storage/storage-for-tests.ts";
import { createPlugins, type Generated, type Plugins, type PluginsOptions } from "./create-plugins.ts";
import type { PluginChange } from "./known-plugin.ts";
import type { PluginOrder } from "./plugin-process.ts";

export interface PluginPlace {
  readonly plugins: Plugins;
  readonly changes: PluginChange[];
  readonly lines: string[];
  /** Of all processes that were started. */
  readonly pids: number[];
  /** Into the folder of all workspaces, or another below the work directory. */
  readonly write: (name: string, text: string, folder?: string) => string;
  readonly remove: (name: string) => void;
  readonly generate: (type: string, order?: Partial<PluginOrder>) => Promise<Generated>;
  readonly seenCount: () => number;
}

const SHARED = "plugins/generators";
/** What a program is given of the host's variables without being granted them. */
const ALLOWED = ["PATH", "HOME", "LANG"];

/** Nothing of the host's environment but the allow-list and what is granted, as where programs are really started. */
const startWith =
  (env: Readonly<Record<string, string | undefined>>, pids: number[]): StartProgram =>
  async ({ command, args, allowedEnv, onLine }) => {
    const names = [...ALLOWED, ...allowedEnv];
    const secrets = allowedEnv.flatMap((name) => env[name] ?? []);
    const child = spawn(command, [...args], {
      env: Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
      stdio: ["ignore", "pipe", "pipe", "ignore", "pipe"],
    });
    await once(child, "spawn");
    pids.push(child.pid!);
    for (const pipe of [child.stdout, child.stderr]) {
      pipe?.on("data", (chunk: Buffer) => onLine(chunk.toString().slice(0, 1_000).trimEnd()));
    }
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    return {
      channel: child.stdio[4] as Duplex,
      ended,
      clean: (text) => secrets.reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text),
      end: async () => {
        child.kill("SIGKILL");
        await ended;
      },
    };
  };

export const openPlugins = (
  more: Partial<PluginsOptions> & {
    readonly env?: Readonly<Record<string, string>>;
    /** Given to Node.js before all others. */
    readonly flags?: readonly string[];
    /** Waited for before a process is started; where it rejects, none is. */
    readonly starting?: (order: ProgramOrder) => Promise<void>;
  } = {},
): PluginPlace => {
  const { env = {}, flags = [], starting, ...options } = more;
  const { workDir = temporaryDir() } = options;
  const changes: PluginChange[] = [];
  const lines: string[] = [];
  const pids: number[] = [];
  const start = startWith({ ...process.env, ...env }, pids);
  let seen = 0;
  const plugins = createPlugins({
    workDir,
    workspace: "ws_default",
    dataDir: join(workDir, "data"),
    start: async (order) => {
      await starting?.(order);
      return start({ ...order, args: [...flags, ...order.args] });
    },
    maxBytes: 1_000_000,
    granted: () => [],
    changed: (change) => Promise.resolve(void changes.push(change)),
    onSeen: () => void seen++,
    log: (line) => void lines.push(line),
    fault: (message) => void lines.push(message),
    ...options,
  });
  onTestFinished(() => plugins.close());
  const write: PluginPlace["write"] = (name, text, folder = SHARED) => {
    const file = join(workDir, folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return {
    plugins,
    changes,
    lines,
    pids,
    write,
    remove: (name) => rmSync(join(workDir, SHARED, name)),
    generate: (type, order) => plugins.generate(type, { ...ORDER, signal: new AbortController().signal, ...order }),
    seenCount: () => seen,
  };
};

const ORDER: Omit<PluginOrder, "signal"> = {
  config: {
    type: "content",
    id: "note",
    metadata: { description: "A note", version: "1.0.0" },
    elements: [{ name: "body" }],
  },
  pattern: { id: "p", template: "Hello" },
  context: { name: "Ada" },
  maxBytes: 1_000_000,
  timeoutMs: 20_000,
};

/** A plug-in of one function body, which may use what a generator is given. */
export const plugin = (type: string, body: string, more = ""): string =>
  `export default { type: "${type}", version: "1.0.0", ${more}
  async generate({ config, pattern, context, signal }) { ${body} } };\n`;

/** Runs until it holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
};

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
