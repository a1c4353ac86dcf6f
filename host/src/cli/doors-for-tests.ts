/** Every door of one running host behind one face, so that a test can ask the same at each: real clients, real processes. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client as ModernSdk, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacySdk } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Cli, Serving } from "./cli-for-tests.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const INFO = { name: "tests", version: "1.0.0" };

export interface House {
  readonly cli: Cli;
  readonly serving: Serving;
  readonly origin: string;
  /** The owner's. */
  readonly key: string;
}

export interface Called {
  /** Of the closed table; null: it ran. */
  readonly refused: string | null;
  /** What the caller reads. */
  readonly text: string;
}

export interface Door {
  readonly name: string;
  /** All that this door tells of tools and in its greeting. */
  listed(): Promise<string>;
  call(tool: string, args?: object): Promise<Called>;
  /** How often it heard that the list is another; null: it is a door at which one asks. */
  changes(): number | null;
  close(): Promise<void>;
}

/** Starts the host of this directory and waits until these bundles run. */
export const openHouse = async (cli: Cli, ...bundles: readonly string[]): Promise<House> => {
  const serving = cli.start(["serve", "--port", "0", "--json"]);
  await serving.says('"listening"');
  for (const bundle of bundles) await serving.says(`"name":"${bundle}","state":"running"`);
  const [first = ""] = serving.out().split("\n");
  const { origin, keyFile } = JSON.parse(first) as { origin: string; keyFile: string };
  return { cli, serving, origin, key: readFileSync(keyFile, "utf8").trim() };
};

export const closeHouse = async ({ serving }: House): Promise<void> => {
  serving.signal("SIGTERM");
  await serving.exited;
};

export interface RestAnswer {
  readonly status: number;
  readonly text: string;
  readonly json: any;
}

export const askRest = async (
  { origin, key }: Pick<House, "origin" | "key">,
  path: string,
  { method = "GET", body }: { readonly method?: string; readonly body?: object } = {},
): Promise<RestAnswer> => {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) };
};

interface Sdk {
  listTools(): Promise<unknown>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}
interface ToolAnswer {
  readonly content?: readonly { readonly text?: string }[];
  readonly _meta?: Readonly<Record<string, { readonly kind?: string }>>;
}

const readAnswer = (answer: unknown): Called => {
  const { content = [], _meta = {} } = answer as ToolAnswer;
  return { refused: _meta["dev.bailiwick/refusal"]?.kind ?? null, text: content.map(({ text }) => text).join("\n") };
};

const mcpDoor = (
  name: string,
  client: Sdk,
  { send, changes }: { send: (tool: string, args: object) => Promise<unknown>; changes: () => number },
): Door => ({
  name,
  listed: async () => JSON.stringify([await client.listTools(), client.getInstructions() ?? null]),
  call: async (tool, args = {}) => readAnswer(await send(tool, args)),
  changes,
  close: () => client.close(),
});

const openLegacy = async (name: string, transport: LegacyHttp | LegacyStdio): Promise<Door> => {
  const client = new LegacySdk(INFO);
  let heard = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard++);
  await client.connect(transport);
  const send = (tool: string, args: object): Promise<unknown> =>
    client.callTool({ name: tool, arguments: { ...args } });
  return mcpDoor(name, client, { send, changes: () => heard });
};

const openModern = async (name: string, transport: ModernHttp | ModernStdio): Promise<Door> => {
  const client = new ModernSdk(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  let heard = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void heard++);
  await client.connect(transport);
  await client.listen({ toolsListChanged: true });
  const send = (tool: string, args: object): Promise<unknown> =>
    client.callTool({ name: tool, arguments: { ...args } });
  return mcpDoor(name, client, { send, changes: () => heard });
};

const restDoor = (house: House): Door => ({
  name: "REST",
  listed: async () => `${(await askRest(house, "/v1/tools")).text}${(await askRest(house, "/v1/providers")).text}`,
  call: async (tool, args = {}) => {
    const body = { name: tool, arguments: args };
    const { status, json, text } = await askRest(house, "/v1/tools/call", { method: "POST", body });
    return { refused: status === 200 ? null : String(json.error), text };
  },
  changes: () => null,
  close: async () => {},
});

const terminalDoor = ({ cli }: House): Door => ({
  name: "terminal",
  listed: async () => (await cli.run(["tools", "--json"])).out,
  call: async (tool, args = {}) => {
    const { code, out } = await cli.run(["call", tool, JSON.stringify(args), "--json"]);
    const { refused, text } = readAnswer(JSON.parse(out));
    return { refused: code === 0 ? null : (refused ?? `exit code ${code}`), text };
  },
  changes: () => null,
  close: async () => {},
});

export const openDoors = async (house: House): Promise<readonly Door[]> => {
  const { cli, origin, key } = house;
  const url = new URL(`${origin}/mcp`);
  const options = { requestInit: { headers: { Authorization: `Bearer ${key}` } } };
  const env = { PATH: process.env["PATH"] ?? "", HOME: cli.dir };
  const pipe = { command: process.execPath, args: [MAIN, "mcp"], cwd: cli.dir, env, stderr: "ignore" as const };
  return [
    await openLegacy("MCP, legacy", new LegacyHttp(url, options)),
    await openModern("MCP, modern", new ModernHttp(url, options)),
    await openLegacy("MCP on a pipe, legacy", new LegacyStdio(pipe)),
    await openModern("MCP on a pipe, modern", new ModernStdio(pipe)),
    restDoor(house),
    terminalDoor(house),
  ];
};
