/** The SDKs' clients behind one face, so that one test can ask the same of each. */
import { Client as ModernSdk, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacySdk } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly onprogress?: (progress: { progress: number; total?: number | undefined }) => void;
  readonly signal?: AbortSignal;
}

export type CompletionRef =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

interface Page<Member extends string, Entry> {
  readonly list: Promise<Readonly<Record<Member, readonly Entry[]>>>;
}

/** What both SDKs offer under the same names. */
interface SdkClient {
  listTools(): Page<"tools", { name: string; description?: string | undefined }>["list"];
  listPrompts(): Page<"prompts", { name: string }>["list"];
  listResources(): Page<"resources", { uri: string }>["list"];
  listResourceTemplates(): Page<"resourceTemplates", { uriTemplate: string }>["list"];
  readResource(params: { uri: string }): Promise<{ contents: readonly { uri: string }[] }>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<{ messages: readonly unknown[] }>;
  complete(params: {
    ref: CompletionRef;
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: readonly string[] } }>;
  getServerCapabilities(): Readonly<Record<string, unknown>> | undefined;
  close(): Promise<void>;
}

export interface TestClient extends SdkClient {
  call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolResult>;
}

/** Without a workspace it is the one of the key. */
export type Connect = (url: string, key: string, workspace?: string) => Promise<TestClient>;

const INFO = { name: "tests", version: "1.0.0" };
const withKey = (key: string, workspace?: string): { requestInit: RequestInit } => ({
  requestInit: {
    headers: { Authorization: `Bearer ${key}`, ...(workspace === undefined ? {} : { "X-Workspace-Id": workspace }) },
  },
});

const connectLegacySdk: Connect = async (url, key, workspace) => {
  const client = new LegacySdk(INFO);
  await client.connect(new LegacyTransport(new URL(url), withKey(key, workspace)));
  return Object.assign(client as SdkClient, {
    call: (name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions) =>
      client.callTool({ name, arguments: { ...args } }, undefined, options) as Promise<ToolResult>,
  });
};

const connectModernSdk =
  (mode: "legacy" | { pin: string }): Connect =>
  async (url, key, workspace) => {
    const client = new ModernSdk(INFO, { versionNegotiation: { mode } });
    await client.connect(new ModernTransport(new URL(url), withKey(key, workspace)));
    return Object.assign(client as SdkClient, {
      call: (name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions) =>
        client.callTool({ name, arguments: { ...args } }, options) as Promise<ToolResult>,
    });
  };

export const CLIENTS: readonly { readonly client: string; readonly modern: boolean; readonly connect: Connect }[] = [
  { client: "SDK v1", modern: false, connect: connectLegacySdk },
  { client: "SDK v2, legacy", modern: false, connect: connectModernSdk("legacy") },
  { client: "SDK v2, modern", modern: true, connect: connectModernSdk({ pin: "2026-07-28" }) },
];
