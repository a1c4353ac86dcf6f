/**
 * A stdio MCP server that lists the tools of a file, some at a time, and one more after each call of any of them, of which it
 * tells. Argument: the file, a JSON array of tools.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const PAGE = 500;
const tools = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as object[];
let added = 0;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly cursor?: string };
}

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const list = (cursor = "0"): object => {
  const to = Number(cursor) + PAGE;
  const page = tools.slice(Number(cursor), to);
  return to < tools.length ? { tools: page, nextCursor: String(to) } : { tools: page };
};

const addTool = (): void => {
  const description = `Answers with the number ${++added}, which nobody asked for.`;
  tools.push({ name: `added-${added}`, description, inputSchema: { type: "object" } });
  send({ method: "notifications/tools/list_changed" });
};

const respond = ({ method, params }: Message): object | null => {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "lists", version: "1.0.0" },
      };
    case "tools/list":
      return list(params?.cursor);
    case "tools/call":
      addTool();
      return { content: [{ type: "text", text: String(added) }] };
    case "ping":
      return {};
    default:
      return null;
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  if (message.id === undefined) continue;
  const result = respond(message);
  send({ id: message.id, ...(result ? { result } : { error: { code: -32601, message: "no such method" } }) });
}
