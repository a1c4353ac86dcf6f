/** A modern client that knows tasks, and a real server that makes them, for tests of the built host. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("../../test/fixtures/conformance/server.mjs", import.meta.url));
const VERSION = "2026-07-28";

export interface TaskServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** A modern server over HTTP. It outlives the host; what it knows of tasks ends with it. */
export const startTaskServer = async (port = 0): Promise<TaskServer> => {
  const args = [SERVER, "--era", "modern", "--transport", "http", "--port", String(port)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { port: (JSON.parse(line) as { port: number }).port, stop: () => end(child) };
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
};

export interface Spoken {
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface TaskClient {
  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<Spoken>;
  /** The id of the task that a call began. */
  begin(tool: string, args: object): Promise<string>;
  /** The last state of a task, once `done` says so of its status. */
  until(taskId: string, done: (status: string) => boolean): Promise<any>;
}

const PATIENCE_MS = 20_000;

export const taskClient = (origin: string, key: string): TaskClient => {
  const ask: TaskClient["ask"] = async (method, params) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientCapabilities": {
        elicitation: {},
        extensions: { "io.modelcontextprotocol/tasks": {} },
      },
    };
    const response = await fetch(`${origin}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": method,
        "mcp-name": String(params["name"] ?? params["taskId"]),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    });
    return (await response.json()) as Spoken;
  };
  return {
    ask,
    async begin(tool, args) {
      const { result, error } = await ask("tools/call", { name: tool, arguments: args });
      if (result?.resultType !== "task") throw new Error(JSON.stringify(result ?? error));
      return result.taskId as string;
    },
    async until(taskId, done) {
      const late = Date.now() + PATIENCE_MS;
      for (;;) {
        const { result } = await ask("tasks/get", { taskId });
        if (result && done(result.status)) return result;
        if (Date.now() > late) throw new Error(`it came to ${JSON.stringify(result)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
};
