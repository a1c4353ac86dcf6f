/**
 * Whose files a bundle reads: those of its own workspace, whoever calls it, and while its like reads in another. And what
 * the host's evidence says of it, which is never what was in a file.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileInfo } from "../kernel/files.ts";
import { ask, LIST, READ, RESOURCES_SERVER, serveResources, type Asked } from "./resource-asks-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";
import { apiClient, exportEvidence, keyFor, whenRunning, type ApiClient } from "./workspace-client-for-tests.ts";

const NO_FILE = "files://fl_000000000000000000000000";
const EXTENSION = "/ext/host-resources";
const LEGACY = { args: [RESOURCES_SERVER, "stdio"] };
const MODERN = { args: [RESOURCES_SERVER, "modern-stdio"] };
const HERE = { stdio: LEGACY, "modern-stdio": MODERN };

let host: Served;
let owner: ApiClient;
/** By workspace: a member with a key of that workspace. */
const members = new Map<string, ApiClient>();
const files = new Map<string, FileInfo>();

const read = (uri: string): Asked => ({ method: READ, params: { uri } });
const memberOf = (workspace: string): ApiClient => members.get(workspace) as ApiClient;
const fileOf = (workspace: string): FileInfo => files.get(workspace) as FileInfo;

beforeAll(async () => {
  host = await serveResources({
    bundles: { second: MODERN },
    workspaces: {
      ws_ann: { members: ["person:ann"], bundles: HERE },
      ws_bob: { members: ["person:bob"], bundles: HERE },
    },
  });
  owner = apiClient(host.origin, host.key);
  for (const name of ["ann", "bob"]) {
    const workspace = `ws_${name}`;
    const key = await keyFor(owner, { name, as: `person:${name}`, workspace });
    members.set(workspace, apiClient(host.origin, key));
    await whenRunning(memberOf(workspace), ...Object.keys(HERE));
    files.set(workspace, await memberOf(workspace).upload("plan.txt", `what ${name} wrote down`));
  }
});
afterAll(() => host.stop());

describe.each(["stdio", "modern-stdio", "modern-stdio by post"])("two workspaces at once, over %s", (way) => {
  it("each reads and lists its own file of the same name, and the other's is one that there is not", async () => {
    const look = async (mine: string, other: string): Promise<void> => {
      const [own, all, foreign, unknown] = await ask(memberOf(mine), way, [
        read(fileOf(mine).uri),
        { method: LIST },
        read(fileOf(other).uri),
        read(NO_FILE),
      ]);
      const { uri } = fileOf(mine);
      const text = `what ${mine.slice(3)} wrote down`;
      expect(own?.result).toEqual({ contents: [{ uri, mimeType: "text/plain", text }] });
      expect(all?.result).toEqual({
        resources: [{ uri, name: "plan.txt", mimeType: "text/plain", size: text.length }],
      });
      expect(foreign?.error).toEqual({ ...unknown?.error, data: { uri: fileOf(other).uri } });
      expect(unknown?.error).toMatchObject({ code: -32002, data: { uri: NO_FILE } });
    };
    const looks = Array.from({ length: 20 }, () => [look("ws_ann", "ws_bob"), look("ws_bob", "ws_ann")]);
    await Promise.all(looks.flat());
  });
});

describe("the owner, in whichever workspace it is", () => {
  it("gets from a bundle only what is in that workspace", async () => {
    for (const [workspace, expected] of [
      ["ws_ann", -32002],
      ["ws_bob", undefined],
    ] as const) {
      const there = apiClient(host.origin, host.key, workspace);
      const [reply] = await ask(there, "stdio", [read(fileOf("ws_bob").uri)]);
      expect(reply?.error?.code).toBe(expected);
    }
    const [reply] = await ask(owner, "stdio", [read(fileOf("ws_bob").uri)]);
    expect(reply?.error?.code).toBe(-32002);
  });
});

describe("the token that a bundle is handed", () => {
  const told = async (client: ApiClient, provider: string): Promise<{ endpoint: string; token: string }> => {
    const { text } = (await client.call(`${provider}__raw`)) as { text: string };
    const meta = (JSON.parse(text) as { params: { _meta: Record<string, { endpoint: string; token: string }> } }).params
      ._meta;
    return meta["ai.nimblebrain/host-resources"] as { endpoint: string; token: string };
  };
  const post = async (token: string, uri: string): Promise<{ status: number; json: any }> => {
    const body = { jsonrpc: "2.0", id: 1, ...read(uri) };
    return apiClient(host.origin, token).ask("POST", EXTENSION, body);
  };

  it("opens the files of its own workspace at that door, and no other door", async () => {
    const { endpoint, token } = await told(memberOf("ws_ann"), "modern-stdio");
    expect(endpoint).toBe(`${host.origin}${EXTENSION}`);
    expect((await post(token, fileOf("ws_ann").uri)).json.result.contents[0].text).toBe("what ann wrote down");
    expect((await post(token, fileOf("ws_bob").uri)).json.error.code).toBe(-32002);
    for (const workspace of [undefined, "ws_ann", "ws_bob"]) {
      const client = apiClient(host.origin, token, workspace);
      for (const path of ["/v1/tools", "/v1/files", `/v1/files/${fileOf("ws_ann").id}`, "/v1/health", "/v1/events"]) {
        expect([path, (await client.ask("GET", path)).status]).toEqual([path, 401]);
      }
      const call = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
      expect((await client.ask("POST", "/mcp", call)).status).toBe(401);
      expect((await client.ask("POST", "/mcp/providers/modern-stdio", call)).status).toBe(401);
    }
  });

  it("is the only thing that opens that door: no key does", async () => {
    for (const key of [host.key, null, "bwx_none"]) {
      const said = await apiClient(host.origin, key).ask("POST", EXTENSION, { jsonrpc: "2.0", id: 1, method: LIST });
      expect(said.status).toBe(401);
    }
  });

  it("is of no use once its bundle has stopped, while another bundle's goes on", async () => {
    const { uri } = await owner.upload("mine.txt", "of the default workspace");
    const [stopped, other] = [await told(owner, "second"), await told(owner, "modern-stdio")];
    expect((await post(stopped.token, uri)).status).toBe(200);
    expect((await owner.ask("POST", "/v1/apps/second/stop")).status).toBe(200);
    expect((await post(stopped.token, uri)).status).toBe(401);
    expect((await post(other.token, uri)).json.result.contents[0].text).toBe("of the default workspace");
    expect((await owner.ask("POST", "/v1/apps/second/start")).status).toBe(200);
    await whenRunning(owner, "second");
    const fresh = await told(owner, "second");
    expect((await post(stopped.token, uri)).status).toBe(401);
    expect((await post(fresh.token, uri)).status).toBe(200);
  });
});

describe("evidence", () => {
  it("names each request with its bundle, what was asked, its size and its outcome, and holds no file", async () => {
    const content = "SECRET-of-the-file-9271";
    const { uri, size } = await memberOf("ws_ann").upload("secret.txt", content);
    const filter = { mimeType: "text/plain", tags: ["x"] };
    const asked: Asked[] = [
      read(uri),
      read(NO_FILE),
      { method: LIST, params: { _meta: { filter } } },
      { method: READ, params: { uri: 7 } },
    ];
    for (const way of ["stdio", "modern-stdio", "modern-stdio by post"]) await ask(memberOf("ws_ann"), way, asked);
    const { text, events } = await exportEvidence(host);
    expect(text).not.toContain(content);
    expect(text).not.toContain(Buffer.from(content).toString("base64").slice(0, 24));
    expect(text).not.toContain("bwx_");
    const uses = events.filter(({ event_type: type, payload }) => {
      const named = JSON.stringify(payload);
      return type === "dev.bailiwick.extension_used" && (named.includes(uri) || named.includes("tags"));
    });
    const rows = uses.map(({ payload }) => payload);
    const bundle = (provider: string): object => ({ workspace: "ws_ann", provider });
    for (const provider of ["stdio", "modern-stdio"]) {
      expect(rows).toContainEqual({
        bundle: bundle(provider),
        method: READ,
        uri,
        filter: null,
        size,
        count: null,
        outcome: "success",
        code: null,
      });
      const listed = rows.find((row) => row["method"] === LIST && (row["bundle"] as any).provider === provider);
      expect(listed).toMatchObject({ uri: null, count: 0, outcome: "success" });
      expect(JSON.parse(listed?.["filter"] as string)).toEqual(filter);
    }
    expect(rows.filter((row) => row["uri"] === uri)).toHaveLength(3);
    const who = { type: "bundle", verified: true, door: "extension", workspace: "ws_ann" };
    expect(uses.map(({ subject }) => subject)).toContainEqual({ ...who, id: "bundle://ws_ann/stdio" });
    expect(uses.map(({ subject }) => subject)).toContainEqual({ ...who, id: "bundle://ws_ann/modern-stdio" });
  });
});
