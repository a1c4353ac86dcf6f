/** A second workspace in a whole host: what is its own, who gets in, and that nobody else can tell that there is one. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENTS } from "./mcp-clients-for-tests.ts";
import { FIXTURES, serve, type Served } from "./serve-for-tests.ts";
import {
  apiClient,
  exportEvidence,
  keyFor,
  whenRunning,
  type ApiClient,
  type Said,
} from "./workspace-client-for-tests.ts";

const SERVER = join(FIXTURES, "bundle-server.mjs");
const TOKEN = {
  user_config: { token: { type: "string", title: "Token", description: "d", required: true, sensitive: true } },
};
const needy = { args: [SERVER], env: { LAB_TOKEN: "${user_config.token}" }, manifest: TOKEN };
const plain = { args: [SERVER] };

interface Keys {
  /** Members of ws_lab: one with a key of it, and one whose key is of the default workspace. */
  readonly ann: string;
  readonly annHere: string;
  /** A member of nothing but the default workspace. */
  readonly bob: string;
}

let host: Served;
let owner: ApiClient;
let keys: Keys;
let pids: string;

beforeAll(async () => {
  const tools = join(FIXTURES, "none");
  pids = join("data", "here", "pids");
  const marked = { args: [SERVER], env: { FIXTURE_PIDS: "pids", FIXTURE_TOOLS: tools } };
  host = await serve({
    config: { noDefaultBundles: true },
    bundles: { here: marked },
    workspaces: {
      ws_lab: { members: ["person:ann", "service:ci"], bundles: { here: marked, lab: needy, tasks: taskServer() } },
      ws_other: { members: ["person:bob"], bundles: { lab: needy, only: plain } },
    },
  });
  owner = apiClient(host.origin, host.key);
  keys = {
    ann: await keyFor(owner, { name: "ann-lab", as: "person:ann", workspace: "ws_lab" }),
    annHere: await keyFor(owner, { name: "ann", as: "person:ann" }),
    bob: await keyFor(owner, { name: "bob", as: "person:bob" }),
  };
});
afterAll(() => host.stop());

const taskServer = (): { args: string[] } => ({
  args: [join(FIXTURES, "conformance", "server.mjs"), "--era", "modern", "--transport", "stdio"],
});
const homeOf = (workspace: string): string => join(host.workDir, "workspaces", workspace);
const lab = (key: string): ApiClient => apiClient(host.origin, key, "ws_lab");
const namesOf = async (client: ApiClient): Promise<string[]> => {
  const { providers } = (await client.ask("GET", "/v1/providers")).json as { providers: { name: string }[] };
  return providers.map(({ name }) => name).filter((name) => !["compose", "files", "nb", "skills"].includes(name));
};
const envOf = async (
  client: ApiClient,
  provider: string,
): Promise<{ env: NodeJS.ProcessEnv; cwd: string; pid: number }> => {
  const { content } = (await client.call(`${provider}__env`)) as { content: [{ text: string }] };
  return JSON.parse(content[0].text) as { env: NodeJS.ProcessEnv; cwd: string; pid: number };
};

describe("a workspace of its own", () => {
  it("has no process until a member comes, and answers the first call of all", async () => {
    expect(existsSync(join(homeOf("ws_default"), pids))).toBe(true);
    expect(existsSync(join(homeOf("ws_lab"), "data"))).toBe(false);
    const { status } = await apiClient(host.origin, keys.ann).ask("POST", "/v1/tools/call", { name: "here__echo" });
    // It may take longer than a call waits; then the caller is told to come again, never that there is no such tool.
    expect([200, 503]).toContain(status);
    await whenRunning(apiClient(host.origin, keys.ann), "here", "tasks");
    expect(existsSync(join(homeOf("ws_lab"), pids))).toBe(true);
    expect(existsSync(join(homeOf("ws_other"), "data"))).toBe(false);
  });

  it("is the same for a member with its key, with the header, and for the owner", async () => {
    for (const client of [apiClient(host.origin, keys.ann), lab(keys.ann), lab(keys.annHere), lab(host.key)]) {
      expect(await namesOf(client)).toEqual(["here", "lab", "tasks"]);
    }
    for (const key of [keys.annHere, keys.bob, host.key]) {
      expect(await namesOf(apiClient(host.origin, key))).toEqual(["here"]);
    }
  });

  it("gives a bundle of the same name another process, data directory and environment", async () => {
    const there = await envOf(lab(keys.annHere), "here");
    const here = await envOf(owner, "here");
    expect(there.pid).not.toBe(here.pid);
    for (const [seen, workspace] of [
      [there, "ws_lab"],
      [here, "ws_default"],
    ] as const) {
      const data = join(homeOf(workspace), "data", "here");
      expect(seen.cwd).toBe(data);
      expect(seen.env).toMatchObject({
        BAILIWICK_WORKSPACE_ID: workspace,
        NB_WORKSPACE_ID: workspace,
        BAILIWICK_BUNDLE_DATA: data,
        UPJACK_ROOT: data,
      });
      const other = workspace === "ws_lab" ? "ws_default" : "ws_lab";
      expect(JSON.stringify(seen.env)).not.toContain(other);
      expect(readFileSync(join(homeOf(workspace), pids), "utf8")).toContain(String(seen.pid));
      expect(existsSync(join(homeOf(workspace), "pins", "here.json"))).toBe(true);
    }
  });

  it("keeps what a person sets for its bundles, and a bundle of that name elsewhere has none of it", async () => {
    const secret = "s3cret-of-the-lab-55121";
    const [there, elsewhere] = [lab(host.key), apiClient(host.origin, host.key, "ws_other")];
    const state = async (client: ApiClient): Promise<string> => (await client.ask("GET", "/v1/apps/lab")).json.status;
    await expect.poll(() => state(there)).toBe("refused");
    const set = await there.ask("POST", "/v1/apps/lab/configure", { values: { token: secret } });
    expect([set.status, set.text]).toEqual([200, expect.not.stringContaining(secret)]);
    await whenRunning(there, "lab");
    expect((await envOf(there, "lab")).env["LAB_TOKEN"]).toBe(secret);
    await expect.poll(() => state(elsewhere)).toBe("refused");
    expect((await there.ask("GET", "/v1/apps/lab")).text).not.toContain(secret);
    expect((await envOf(there, "here")).env).not.toHaveProperty("LAB_TOKEN");
    expect((await exportEvidence(host)).text).not.toContain(secret);
  });

  it("may be stopped without anything happening elsewhere", async () => {
    const { pid } = await envOf(owner, "here");
    expect((await lab(host.key).ask("POST", "/v1/apps/here/stop")).status).toBe(200);
    expect((await envOf(owner, "here")).pid).toBe(pid);
    expect((await lab(host.key).ask("POST", "/v1/apps/here/start")).status).toBe(200);
    await whenRunning(lab(host.key), "here");
  });

  it("is what evidence says a call was in", async () => {
    await lab(keys.annHere).call("here__echo", { mark: 7 });
    const { events } = await exportEvidence(host);
    const calls = events.filter(({ capability_id: id }) => id === "here__echo");
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.at(-1)?.subject).toMatchObject({ id: "person://ann", workspace: "ws_lab" });
    const ofBundle = events.filter(({ payload }) => payload["bundle"] === "only");
    expect(ofBundle.map(({ payload }) => payload["workspace"])).toContain("ws_other");
    expect(new Set(ofBundle.map(({ payload }) => payload["workspace"]))).toEqual(new Set(["ws_other"]));
  });
});

describe("who is no member", () => {
  const same = (said: Said): object => {
    const headers = Object.fromEntries([...said.headers].filter(([name]) => name !== "date"));
    return { status: said.status, text: said.text, headers };
  };
  const requests: readonly [string, string, object?][] = [
    ["GET", "/v1/tools"],
    ["GET", "/v1/providers"],
    ["GET", "/v1/apps"],
    ["GET", "/v1/apps/here"],
    ["GET", "/v1/files"],
    ["GET", "/v1/events"],
    ["GET", "/v1/health"],
    ["POST", "/v1/tools/call", { name: "here__echo" }],
    ["POST", "/v1/reload", {}],
    ["POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }],
    ["POST", "/mcp/providers/here", { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }],
    [
      "POST",
      "/mcp",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      },
    ],
  ];

  it.each(requests)("hears the same from %s %s as of a workspace that there is not", async (method, path, body) => {
    const there = await lab(keys.bob).ask(method, path, body);
    for (const workspace of ["ws_none", "WS_LAB", "../ws_lab", ""]) {
      const none = await apiClient(host.origin, keys.bob, workspace).ask(method, path, body);
      expect([workspace, same(none)]).toEqual([workspace, same(there)]);
    }
    expect(there.status).toBe(404);
    expect(there.text).not.toContain("ws_lab");
  });

  it("hears it with a key of another workspace too, and of the default one", async () => {
    const there = await apiClient(host.origin, keys.ann, "ws_other").ask("GET", "/v1/tools");
    const none = await apiClient(host.origin, keys.ann, "ws_none").ask("GET", "/v1/tools");
    const back = await apiClient(host.origin, keys.ann, "ws_default").ask("GET", "/v1/tools");
    expect([there.status, same(there), same(back)]).toEqual([404, same(none), same(none)]);
  });
});

describe.each(CLIENTS)("a client of $client", ({ connect }) => {
  it("that names the workspace lists and calls what is there", async () => {
    const client = await connect(host.mcpUrl, keys.annHere, "ws_lab");
    const { tools } = await client.listTools();
    const providers = new Set(tools.map(({ name }) => name.split("__")[0]));
    expect(providers).toEqual(new Set(["compose", "files", "here", "lab", "nb", "skills", "tasks"]));
    const { content } = await client.call("here__env", {});
    expect(content[0]?.text).toContain('"BAILIWICK_WORKSPACE_ID":"ws_lab"');
    await client.close();
  });

  it("of somebody else gets no further than to a workspace that there is not", async () => {
    const failure = async (workspace: string): Promise<string> =>
      connect(host.mcpUrl, keys.bob, workspace).then(
        () => "connected",
        (error: Error) => error.message,
      );
    const said = await failure("ws_lab");
    expect(said).not.toBe("connected");
    expect(said).toBe(await failure("ws_none"));
  });
});

describe("a command", () => {
  it("works in the workspace it names, also as an MCP server over its pipes", async () => {
    const listed = await host.run("bundle", "list", "--workspace", "ws_lab", "--json");
    expect(listed.stdout).toContain('"lab"');
    const unknown = await host.run("mcp", "--workspace", "ws_none");
    expect([unknown.code, unknown.stdout]).toEqual([3, ""]);
    expect(unknown.stderr).toContain("There is no such workspace for you.");
  });

  it("makes a key of a workspace for its members alone", async () => {
    const create = (...more: string[]) => host.run("key", "create", "--name", "ci", ...more);
    const stranger = await create("--workspace", "ws_lab");
    expect([stranger.code, stranger.stdout]).toEqual([3, ""]);
    expect(stranger.stderr).toContain('Add "agent:ci" or "person:owner" to "members" in workspaces/ws_lab');
    expect((await create("--workspace", "ws_none")).code).toBe(3);
    const made = await create("--as", "service:ci", "--workspace", "ws_lab");
    expect([made.code, await namesOf(apiClient(host.origin, made.stdout.trim()))]).toEqual([
      0,
      ["here", "lab", "tasks"],
    ]);
  });
});
