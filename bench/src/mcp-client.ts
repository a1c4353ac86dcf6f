/** Requests to a host over one MCP session and one connection, one at a time, each answer looked at. */
import { openSession } from "./session.ts";
import type { Target } from "./target.ts";

export interface McpClient {
  /** The text of the answer, and how many milliseconds it took. */
  ask(method: string, params?: object): Promise<{ readonly text: string; readonly ms: number }>;
  call(name: string, args: object): Promise<{ readonly text: string; readonly ms: number }>;
  close(): Promise<void>;
}

export const openClient = async (target: Target): Promise<McpClient> => {
  const session = await openSession(target);
  const lane = session.openLane();
  let id = 0;
  const ask: McpClient["ask"] = async (method, params = {}) => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    const from = performance.now();
    const text = await lane.send(id, message);
    const ms = performance.now() - from;
    // A result begins the answer, or follows its id; what a document says of errors stands further back.
    if (!text.slice(0, 100).includes('"result"')) throw new Error(`${method} was answered ${text.slice(0, 300)}`);
    return { text, ms };
  };
  return {
    ask,
    async call(name, args) {
      const answer = await ask("tools/call", { name, arguments: args });
      if (/"isError":true/.test(answer.text)) throw new Error(`${name} was answered ${answer.text.slice(0, 500)}`);
      return answer;
    },
    async close() {
      lane.close();
      await session.close();
    },
  };
};
