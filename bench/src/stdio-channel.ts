/**
 * A raw JSON-RPC conversation with one stdio server: own ids, newline frames, nothing checked. What the bare hop and the SDK
 * handler stand on, so that both pay the same for the upstream.
 */
import { spawn } from "node:child_process";

export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface StdioChannel {
  request(method: string, params: unknown): Promise<RpcAnswer>;
}

export const openStdioChannel = (command: string, args: readonly string[]): StdioChannel => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  let next = 0;
  let rest = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line) as RpcAnswer & { readonly id: number };
      waiting.get(id)?.(error === undefined ? { result } : { error });
      waiting.delete(id);
    }
  });
  child.on("exit", () => process.exit(1));
  return {
    request: (method, params) =>
      new Promise((resolve) => {
        const id = next++;
        waiting.set(id, resolve);
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      }),
  };
};
