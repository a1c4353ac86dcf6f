/**
 * One small server in each major version of the MCP library, linked in process to a played host. Its tool `read` does with the
 * host what the test says.
 */
import { InMemoryTransport as InMemoryTransportV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport as InMemoryTransportV2, McpServer as McpServerV2 } from "@modelcontextprotocol/server";
import { host, type Host } from "./host.ts";
import { playHost, type Answering, type PlayedHost, type Wire } from "./played-host-for-tests.ts";

export type Use = (h: Host) => Promise<string> | string;
export type Linked = (use: Use, answer: Answering) => Promise<PlayedHost>;

const INFO = { name: "linked", version: "1.0.0" };
const say = (text: string) => ({ content: [{ type: "text" as const, text }] });

interface Transport {
  send(message: any): Promise<void>;
  start(): Promise<void>;
}

const wireOf = (transport: Transport): Wire => ({
  send: (message) => void transport.send(message),
  receive(hear) {
    Object.assign(transport, { onmessage: hear });
    void transport.start();
  },
});

const v1 = async (server: McpServerV1, answer: Answering): Promise<PlayedHost> => {
  const [ours, theirs] = InMemoryTransportV1.createLinkedPair();
  await server.connect(theirs);
  return playHost(wireOf(ours), answer);
};

const v2 = async (server: McpServerV2, answer: Answering): Promise<PlayedHost> => {
  const [ours, theirs] = InMemoryTransportV2.createLinkedPair();
  await server.connect(theirs);
  return playHost(wireOf(ours), answer);
};

/** By what the author hands to `host`. */
export const LINKED: Readonly<Record<string, Linked>> = {
  "version 1, McpServer": (use, answer) => {
    const server = new McpServerV1(INFO);
    server.registerTool("read", {}, async () => say(await use(host(server))));
    return v1(server, answer);
  },
  "version 1, Server": (use, answer) => {
    const server = new McpServerV1(INFO);
    server.registerTool("read", {}, async () => say(await use(host(server.server))));
    return v1(server, answer);
  },
  "version 1, extra": (use, answer) => {
    const server = new McpServerV1(INFO);
    server.registerTool("read", {}, async (extra) => say(await use(host(extra, server))));
    return v1(server, answer);
  },
  "version 2, McpServer": (use, answer) => {
    const server = new McpServerV2(INFO);
    server.registerTool("read", {}, async () => say(await use(host(server))));
    return v2(server, answer);
  },
  "version 2, Server": (use, answer) => {
    const server = new McpServerV2(INFO);
    server.registerTool("read", {}, async () => say(await use(host(server.server))));
    return v2(server, answer);
  },
  "version 2, ctx": (use, answer) => {
    const server = new McpServerV2(INFO);
    server.registerTool("read", {}, async (ctx) => say(await use(host(ctx, server))));
    return v2(server, answer);
  },
};
