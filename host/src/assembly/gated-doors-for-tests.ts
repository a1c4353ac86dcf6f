/** Every door of a host with the bundle `maya` behind one face, as its owner: what it lists, and what a call of a tool gets there. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";
import { holdToSchemas } from "../kernel/chp-client-for-tests.ts";
import { JSON_HEADERS, knock, modern, openSession, type Said } from "../transport/client-for-tests.ts";
import type { TestDoor } from "../transport/door-for-tests.ts";
import { openTalk } from "../transport/talk-for-tests.ts";
import type { GatedPlace, Json } from "./gated-host-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

/** The program, which runs in a process of its own: nothing of that room is imported here. */
const MAIN = join(import.meta.dirname, "..", "cli", "main.ts");
const SHOWS_APPS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

export interface Heard {
  /** What the door says first: JSON-RPC's number, HTTP's status, CHP's code, the exit code; null: it ran. */
  readonly code: number | string | null;
  readonly message: string | null;
  /** What the refusal carries; null: it ran. */
  readonly data: Json | null;
}

export interface GatedDoor {
  readonly name: string;
  /** Entries as this door gives them out; null: it does not list. */
  list(): Promise<readonly Json[] | null>;
  /** By the tool's own name. */
  call(tool: string, args?: object): Promise<Heard>;
}

const RAN: Heard = { code: null, message: null, data: null };
const noList = (): Promise<null> => Promise.resolve(null);

/** A refusal of JSON-RPC, or one inside a tool's result. */
const ofRpc = ({ result, error }: Json): Heard => {
  if (error) return { code: error.code, message: error.message, data: error.data };
  const refusal = result._meta?.["dev.bailiwick/refusal"] as Json | undefined;
  return refusal === undefined ? RAN : { code: "tool", message: refusal["message"], data: refusal };
};
const ofMcp = ({ json }: Said): Heard => ofRpc((Array.isArray(json) ? json.at(-1) : json) as Json);
const ofRest = ({ status, json }: Said): Heard =>
  status === 200 ? RAN : { code: status, message: json.message, data: json.data };

const ofChp = ({ status, headers, text: body, json }: Said): Heard => {
  holdToSchemas("/invoke", { status, type: headers["content-type"] ?? "", text: body, json });
  const { denial, error } = json as Json;
  const no = (denial ?? error) as Json | null;
  return no === null
    ? RAN
    : { code: no["code"], message: no["message"], data: { ...no["details"], retryable: no["retryable"] } };
};

type Ask = (method: string, params: object) => Promise<Said>;

const mcpDoor = (name: string, ask: Ask, prefix: string): GatedDoor => ({
  name,
  list: async () => (await ask("tools/list", {})).json.result.tools as Json[],
  call: async (tool, args = {}) => ofMcp(await ask("tools/call", { name: prefix + tool, arguments: args })),
});

const httpDoors = async ({ origin, key }: WholeHost): Promise<readonly GatedDoor[]> => {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${key}` };
  const own = "/mcp/providers/maya";
  const legacy = await openSession(origin, "2025-11-25", "/mcp", key);
  const batched = await openSession(origin, "2025-03-26", "/mcp", key);
  const provider = await openSession(origin, "2025-11-25", own, key);
  const app = await openSession(origin, "2025-11-25", "/mcp", key, SHOWS_APPS);
  const inArray: Ask = async (method, params) => {
    const ping = { jsonrpc: "2.0", method: "ping" };
    const said = await batched.post([
      { id: 0, ...ping },
      { jsonrpc: "2.0", id: 1, method, params },
      { id: 2, ...ping },
    ]);
    return { ...said, json: (said.json as Json[]).flat().find(({ id }) => id === 1) };
  };
  const modernAt =
    (path: string): Ask =>
    (method, params) =>
      knock(origin, { path, ...modern(method, { ...params }, headers) });
  return [
    mcpDoor("MCP legacy", (method, params) => legacy.call(method, params), "maya__"),
    mcpDoor("MCP modern", modernAt("/mcp"), "maya__"),
    mcpDoor("an item of a batch", inArray, "maya__"),
    mcpDoor("an app", (method, params) => app.call(method, params), ""),
    mcpDoor("MCP legacy of the provider", (method, params) => provider.call(method, params), ""),
    mcpDoor("MCP modern of the provider", modernAt(own), ""),
    {
      ...mcpDoor("MCP legacy as a task", (method, params) => legacy.call(method, { ...params, task: {} }), "maya__"),
      list: noList,
    },
  ];
};

const plainDoors = (host: WholeHost): readonly GatedDoor[] => {
  const { origin, key } = host;
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${key}` };
  const post = (path: string, body: object): Promise<Said> => knock(origin, { path, headers, body });
  return [
    {
      name: "REST",
      list: noList,
      call: async (tool, args = {}) => ofRest(await post("/v1/tools/call", { name: `maya__${tool}`, arguments: args })),
    },
    {
      name: "CHP",
      list: noList,
      call: async (tool, payload = {}) => ofChp(await post("/chp/invoke", { capability_id: `maya__${tool}`, payload })),
    },
    {
      name: "program",
      list: noList,
      call: async (tool, args = {}) => {
        const { ending, evidenceId } = await host.call(`maya__${tool}`, { ...args });
        if (ending.kind !== "refusal") return RAN;
        const { kind, message, next, details, retryable } = ending.refusal;
        return { code: kind, message, data: { ...details, kind, next, retryable, evidence_id: evidenceId } };
      },
    },
  ];
};

/** A pipe into the host of this process. */
const pipeDoor = async (host: WholeHost): Promise<GatedDoor> => {
  const stdio: TestDoor["listener"]["stdio"] = ({ input, output }) => host.stdio({ input, output });
  const talk = openTalk({ listener: { stdio } } as TestDoor);
  onTestFinished(() => talk.endInput());
  await talk.initialize();
  let id = 0;
  const ask: Ask = async (method, params) => {
    talk.request(++id, method, params);
    return { status: 200, headers: {}, text: "", json: await talk.answer(id) };
  };
  return mcpDoor("a pipe", ask, "maya__");
};

const processOf = ({ dir }: GatedPlace, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [MAIN, ...args],
  cwd: dir,
  env: { PATH: process.env["PATH"] ?? "", HOME: dir },
  stderr: "ignore" as const,
});

/** `bailiwick mcp`, with a client that others wrote. */
const processDoor = async (place: GatedPlace): Promise<GatedDoor> => {
  const client = new Client({ name: "tests", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport(processOf(place, "mcp")));
  return {
    name: "bailiwick mcp",
    list: async () => (await client.listTools()).tools,
    call: (tool, args = {}) =>
      client.callTool({ name: `maya__${tool}`, arguments: { ...args } }).then(
        (result) => ofRpc({ result }),
        ({ code, message, data }: Json) => ({ code, message: message.replace(/^MCP error -?\d+: /, ""), data }),
      ),
  };
};

/** Runs the program of this place and gives its exit code and what it wrote. */
export const runCli = async (
  place: GatedPlace,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string }> => {
  const { command, args: all, cwd, env } = processOf(place, ...args);
  const child = spawn(command, all, { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  const out = await text(child.stdout);
  return { code: await exited, out };
};

export const terminalDoor = (place: GatedPlace): GatedDoor => ({
  name: "terminal",
  list: noList,
  call: async (tool, args = {}) => {
    const { code, out } = await runCli(place, "call", `maya__${tool}`, JSON.stringify(args), "--json");
    if (code === 0) return RAN;
    const answer = JSON.parse(out) as Json;
    return { ...ofRpc("data" in answer ? { error: answer } : { result: answer }), code };
  },
});

export const openGatedDoors = async (place: GatedPlace, host: WholeHost): Promise<readonly GatedDoor[]> => [
  ...(await httpDoors(host)),
  await pipeDoor(host),
  await processDoor(place),
  ...plainDoors(host),
  terminalDoor(place),
];
