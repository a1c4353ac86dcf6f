/** Clients that others wrote, of both eras, behind one face: what a program that knows nothing but an address can ask with. */
import { Client as ModernSdk, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacySdk } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

export type Json = Record<string, any>;

interface ToolPage {
  readonly tools: readonly Json[];
  readonly nextCursor?: string | undefined;
}

/** What both SDKs offer under the same names. */
interface SdkClient {
  listTools(params?: { cursor: string }): Promise<ToolPage>;
  readResource(params: { uri: string }): Promise<{ readonly contents: readonly Json[] }>;
  callTool(params: { name: string; arguments: Json }): Promise<unknown>;
  close(): Promise<void>;
}

export interface ComposeClient {
  /** The only content of a resource. */
  readonly read: (uri: string) => Promise<Json>;
  /** The same, as the JSON that it holds. */
  readonly fetch: (uri: string) => Promise<Json>;
  readonly callTool: (name: string, args: Json) => Promise<Json>;
  /** All pages. */
  readonly listTools: () => Promise<readonly Json[]>;
}

type Connect = (url: URL, options: { requestInit: RequestInit }) => Promise<SdkClient>;

const INFO = { name: "newcomer", version: "1.0.0" };

const connectModern: Connect = async (url, options) => {
  const client = new ModernSdk(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new ModernTransport(url, options));
  return client;
};

const connectLegacy: Connect = async (url, options) => {
  const client = new LegacySdk(INFO);
  await client.connect(new LegacyTransport(url, options));
  return client;
};

export const COMPOSE_CLIENTS: readonly { readonly client: string; readonly connect: Connect }[] = [
  { client: "SDK v2, modern", connect: connectModern },
  { client: "SDK v1, legacy", connect: connectLegacy },
];

/** Closed when the test is over. */
export const connectClient = async (connect: Connect, url: string, key: string): Promise<ComposeClient> => {
  const client = await connect(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } });
  onTestFinished(() => client.close());
  const read: ComposeClient["read"] = async (uri) => {
    const { contents } = await client.readResource({ uri });
    const [only, ...more] = contents;
    if (only === undefined || more.length > 0) throw new Error(`${uri} has ${contents.length} contents`);
    return only;
  };
  return {
    read,
    fetch: async (uri) => JSON.parse((await read(uri))["text"] as string) as Json,
    callTool: async (name, args) => (await client.callTool({ name, arguments: args })) as Json,
    async listTools() {
      const tools: Json[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await client.listTools(cursor === undefined ? undefined : { cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
        if (cursor === undefined) return tools;
      }
    },
  };
};
