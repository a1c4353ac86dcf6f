/**
 * The upstream of every subject: the smallest stdio MCP server there can be, so that what is measured is what stands before
 * it. `--tools <n>` makes it list n tools, the first of which is `echo`; all of them echo. More than 1,000 come in pages.
 */
import { parseArgs } from "node:util";

const PAGE = 1000;
const { values } = parseArgs({ options: { tools: { type: "string", default: "1" } } });
const total = Number(values.tools);

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly cursor?: string;
    readonly arguments?: { readonly text?: unknown };
  };
}

const describe = (index: number): object => ({
  name: index === 0 ? "echo" : `echo-${index}`,
  title: `Echo ${index}`,
  description: "Answers with the text it was given. It reads nothing, writes nothing and remembers nothing.",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", description: "What to answer with." } },
    required: ["text"],
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
});

const list = (cursor: string | undefined): object => {
  const from = Number(cursor ?? 0);
  const to = Math.min(from + PAGE, total);
  const tools = Array.from({ length: to - from }, (_, i) => describe(from + i));
  return to < total ? { tools, nextCursor: String(to) } : { tools };
};

const respond = (message: Message): object | null => {
  switch (message.method) {
    case "tools/call":
      return { content: [{ type: "text", text: String(message.params?.arguments?.text) }] };
    case "tools/list":
      return list(message.params?.cursor);
    case "initialize":
      return {
        protocolVersion: message.params?.protocolVersion ?? "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "echo", version: "1.0.0" },
      };
    case "ping":
      return {};
    default:
      return null;
  }
};

const answer = (line: string): string => {
  const message = JSON.parse(line) as Message;
  if (message.id === undefined || message.method === undefined) return "";
  const result = respond(message);
  const error = { code: -32601, message: `Method not found: ${message.method}` };
  const body = result === null ? { error } : { result };
  return `${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body })}\n`;
};

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  const answers = lines.filter((line) => line.trim() !== "").map(answer);
  const output = answers.join("");
  if (output !== "") process.stdout.write(output);
});
process.stdin.on("end", () => process.exit(0));
