/**
 * The built-in bash bundle's server: MCP over stdio, by hand, run by the host's own Node as a process like any bundle's. It
 * decides nothing; who may run what is decided before a call comes here.
 */
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { DEFAULT_TIMEOUT_MS, EXEC_TOOL, MAX_TIMEOUT_MS } from "./exec-tool.ts";
import { runCommand } from "./run-command.ts";

type Id = string | number;
type Fields = Readonly<Record<string, unknown>>;

const PROTOCOL = "2025-11-25";
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

const running = new Map<Id, AbortController>();

const write = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};
const answer = (id: Id, result: object): void => write({ id, result });
const fail = (id: Id, code: number, message: string): void => write({ id, error: { code, message } });

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const isTimeout = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_TIMEOUT_MS;

/** Null: they do not fit the tool's schema. */
const readOrder = (args: Fields): { command: string; cwd: string; timeoutMs: number } | null => {
  const { command, cwd = ".", timeoutMs = DEFAULT_TIMEOUT_MS } = args;
  if (typeof command !== "string" || command === "" || typeof cwd !== "string" || !isTimeout(timeoutMs)) return null;
  return { command, cwd: resolve(cwd), timeoutMs };
};

const sayNo = (id: Id, text: string): void => answer(id, { isError: true, content: [{ type: "text", text }] });

const exec = async (id: Id, args: Fields): Promise<void> => {
  const order = readOrder(args);
  if (order === null) {
    sayNo(id, "Give command (text), and perhaps cwd (text) and timeoutMs (1 to 600000).");
    return;
  }
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const result = await runCommand({ ...order, signal: abort.signal });
    if (abort.signal.aborted) return;
    answer(id, { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result });
  } catch (error) {
    sayNo(id, `The command could not be started in ${order.cwd}: ${(error as Error).message}.`);
  } finally {
    running.delete(id);
  }
};

const serve = (id: Id, method: string, params: Fields): void => {
  switch (method) {
    case "initialize":
      answer(id, {
        protocolVersion: PROTOCOL,
        capabilities: { tools: {} },
        serverInfo: { name: "bash", version: "1.0.0" },
      });
      return;
    case "ping":
      answer(id, {});
      return;
    case "tools/list":
      answer(id, { tools: [EXEC_TOOL] });
      return;
    case "tools/call":
      if (params["name"] === EXEC_TOOL.name) void exec(id, fieldsOf(params["arguments"]));
      else fail(id, INVALID_PARAMS, `unknown tool; there is ${EXEC_TOOL.name}`);
      return;
    default:
      fail(id, METHOD_NOT_FOUND, "method not found");
  }
};

const receive = (line: string): void => {
  let message: Fields;
  try {
    message = fieldsOf(JSON.parse(line));
  } catch {
    return;
  }
  const { id, method } = message;
  const params = fieldsOf(message["params"]);
  if (method === "notifications/cancelled") running.get(params["requestId"] as Id)?.abort();
  else if (typeof method === "string" && (typeof id === "string" || typeof id === "number")) serve(id, method, params);
};

const leave = (): void => {
  for (const abort of running.values()) abort.abort();
  process.exit(0);
};

process.on("SIGTERM", leave);
createInterface({ input: process.stdin }).on("line", receive).on("close", leave);
