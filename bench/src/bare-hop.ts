/**
 * The bare hop: node:http on one side, the raw stdio server on the other, JSON parsed and written, and nothing else. No
 * identity, no checks, no evidence: what the hop itself costs. Arguments: port, then the server's command.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { openStdioChannel } from "./stdio-channel.ts";

const [port, command, ...args] = process.argv.slice(2);
const channel = openStdioChannel(command ?? "", args);

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: unknown;
}

const forward = async (body: string, response: ServerResponse): Promise<void> => {
  const { id, method, params } = JSON.parse(body) as Request;
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const answer = await channel.request(method, params);
  const text = JSON.stringify({ jsonrpc: "2.0", id, ...answer });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
};

const receive = (request: IncomingMessage, response: ServerResponse): void => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (body += chunk));
  request.on("end", () => void forward(body, response));
};

createServer(receive).listen(Number(port), "127.0.0.1");
