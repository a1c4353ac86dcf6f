/**
 * The SDK's own HTTP handler with one tool that hops to the same stdio server. The adapter around `fetch` is thinner than the
 * SDK's, which is in the SDK's favour. Arguments: port, then the server's command.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type CallToolResult, createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { openStdioChannel } from "./stdio-channel.ts";

const [port, command, ...args] = process.argv.slice(2);
const channel = openStdioChannel(command ?? "", args);
const inputSchema = fromJsonSchema<{ text: string }>({
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
});

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "sdk-handler", version: "1.0.0" });
  server.registerTool("echo", { description: "Answers with the text it was given.", inputSchema }, async (input) => {
    const { result } = await channel.request("tools/call", { name: "echo", arguments: input });
    return result as CallToolResult;
  });
  return server;
});

const answer = async (request: IncomingMessage, body: string, response: ServerResponse): Promise<void> => {
  const headers = request.headers as Record<string, string>;
  const reply = await handler.fetch(
    new Request(`http://127.0.0.1:${port}${request.url}`, { method: "POST", headers, body }),
  );
  const text = await reply.text();
  response.writeHead(reply.status, { ...Object.fromEntries(reply.headers), "content-length": Buffer.byteLength(text) });
  response.end(text);
};

const receive = (request: IncomingMessage, response: ServerResponse): void => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (body += chunk));
  request.on("end", () => void answer(request, body, response));
};

createServer(receive).listen(Number(port), "127.0.0.1");
