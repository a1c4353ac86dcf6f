/** The rows of the matrix that live in this process: the SDKs' clients, mcp-remote between one of them and the host, the AI SDK. */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import { Client as ModernSdk, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacySdk } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import type { CallOptions, CompletionRef } from "./mcp-clients-for-tests.ts";
import type { Operation } from "./matrix-servers-for-tests.ts";

/** A connection to one endpoint. What is null the client cannot do. */
export interface MatrixClient {
  listTools(): Promise<readonly string[]>;
  /** The answers as the client gives them. */
  call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<unknown>;
  read(uri: string): Promise<unknown>;
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<unknown>;
  readonly complete:
    | ((ref: CompletionRef, argument: { name: string; value: string }) => Promise<readonly string[]>)
    | null;
  close(): Promise<void>;
}

/** Every question that the client was asked, as text. */
export type Note = (question: string) => void;

export interface Opening {
  readonly url: string;
  readonly key: string;
  readonly note: Note;
}

export interface MatrixRow {
  readonly client: string;
  readonly cannot: Readonly<Partial<Record<Operation, string>>>;
  open(opening: Opening): Promise<MatrixClient>;
}

const INFO = { name: "matrix", version: "1.0.0" };
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {} };
const OPENED = { action: "accept" as const };
const ELICITED = { action: "accept" as const, content: { username: "ada", email: "ada@example.org", name: "Ada" } };
const SAMPLED = {
  role: "assistant" as const,
  model: "none",
  content: { type: "text" as const, text: "a sampled answer" },
};

const withKey = (key: string): { requestInit: RequestInit } => ({
  requestInit: { headers: { Authorization: `Bearer ${key}` } },
});

const openLegacySdk = async (transport: Transport, note: Note): Promise<MatrixClient> => {
  const client = new LegacySdk(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    note(params.mode === "url" ? `${params.message} ${params.url}` : params.message);
    return params.mode === "url" ? OPENED : ELICITED;
  });
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    note(JSON.stringify(params.messages));
    return SAMPLED;
  });
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, options) => client.callTool({ name, arguments: { ...args } }, undefined, options),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, args) => client.getPrompt({ name, arguments: { ...args } }),
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    close: () => client.close(),
  };
};

const openModernSdk = async (mode: "legacy" | { pin: string }, { url, key, note }: Opening): Promise<MatrixClient> => {
  const client = new ModernSdk(INFO, { versionNegotiation: { mode }, capabilities: CAPABILITIES });
  client.setRequestHandler("elicitation/create", ({ params }) => {
    note(params.mode === "url" ? `${params.message} ${params.url}` : params.message);
    return params.mode === "url" ? OPENED : ELICITED;
  });
  client.setRequestHandler("sampling/createMessage", ({ params }) => {
    note(JSON.stringify(params.messages));
    return SAMPLED;
  });
  await client.connect(new ModernTransport(new URL(url), withKey(key)));
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, options) => client.callTool({ name, arguments: { ...args } }, options),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, args) => client.getPrompt({ name, arguments: { ...args } }),
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    close: () => client.close(),
  };
};

const REMOTE = join(dirname(createRequire(import.meta.url).resolve("mcp-remote/package.json")), "dist", "proxy.js");

/** This SDK hears a notice a turn later than an answer, and what comes on a pipe together it reads in one turn. */
const deliverOneATurn = (transport: Transport): void => {
  const { onmessage } = transport;
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => void setImmediate(() => onmessage?.(message)) });
};

/** It keeps files in the home directory. */
const openRemote = async ({ url, key, note }: Opening): Promise<MatrixClient> => {
  const home = mkdtempSync(join(tmpdir(), "bailiwick-remote-"));
  const args = [REMOTE, url, "--transport", "http-only", "--header", `Authorization: Bearer ${key}`];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, MCP_REMOTE_CONFIG_DIR: join(home, "auth") };
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" });
  const client = await openLegacySdk(transport, note);
  deliverOneATurn(transport);
  const close = (): Promise<void> => client.close().finally(() => rmSync(home, { recursive: true, force: true }));
  return { ...client, close };
};

const openAiSdk = async (modern: boolean, { url, key, note }: Opening): Promise<MatrixClient> => {
  const client = await createMCPClient({
    transport: { type: "http", url, headers: { Authorization: `Bearer ${key}` } },
    protocolVersionDiscovery: modern,
    capabilities: { elicitation: {} },
  });
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => {
    note(params.message);
    return ELICITED;
  });
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, options) =>
      client.callTool({
        name,
        arguments: { ...args },
        ...(options?.signal && { options: { signal: options.signal } }),
      }),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, args) => client.getPrompt({ name, arguments: { ...args } }),
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    close: () => client.close(),
  };
};

const AI_SDK_CANNOT = {
  progress: "gives no way to hear progress",
  sampling: "does not know sampling",
  page: "does not open pages",
  "page first": "does not open pages",
} as const;

const NO_CANCEL = "only closes its connection, which is no cancellation in this era";

export const ROWS: readonly MatrixRow[] = [
  {
    client: "SDK v1",
    cannot: {},
    open: ({ url, key, note }) => openLegacySdk(new LegacyTransport(new URL(url), withKey(key)), note),
  },
  { client: "SDK v2, legacy", cannot: {}, open: (opening) => openModernSdk("legacy", opening) },
  { client: "SDK v2, modern", cannot: {}, open: (opening) => openModernSdk({ pin: "2026-07-28" }, opening) },
  { client: "mcp-remote", cannot: {}, open: openRemote },
  {
    client: "AI SDK, legacy",
    cannot: { ...AI_SDK_CANNOT, cancel: NO_CANCEL },
    open: (opening) => openAiSdk(false, opening),
  },
  { client: "AI SDK, modern", cannot: AI_SDK_CANNOT, open: (opening) => openAiSdk(true, opening) },
];
