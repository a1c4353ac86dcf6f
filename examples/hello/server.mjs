import process from "node:process";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const inputSchema = fromJsonSchema({
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
});

serveStdio(() => {
  const server = new McpServer({ name: "hello", version: "1.0.0" });
  server.registerTool("greet", { description: "Greets one person.", inputSchema }, async ({ name }) => ({
    content: [{ type: "text", text: `${process.env.GREETING}, ${name}!` }],
  }));
  return server;
});
