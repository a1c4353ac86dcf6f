/**
 * What a bundle is answered through the whole host, on each wire, in each era and by each way, with and without
 * authentication: the same codes and the same data, to the letter.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileInfo } from "../kernel/files.ts";
import { ask, LIST, READ, serveResources, WAYS, type Asked } from "./resource-asks-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";
import { apiClient, formOf, type ApiClient } from "./workspace-client-for-tests.ts";

const NO_FILE = "files://fl_000000000000000000000000";
const SUPPORTED = ["files"];

const read = (params?: unknown): Asked => ({ method: READ, ...(params === undefined ? {} : { params }) });
const list = (params?: unknown): Asked => ({ method: LIST, ...(params === undefined ? {} : { params }) });
const filter = (value: unknown): Asked => list({ _meta: { filter: value } });
const wrong = (param: string, receivedType: string): [number, object] => [-32602, { param, receivedType }];
const twice: [number, object] = [-32602, { param: "filter" }];
const none = (uri: string): [Asked, [number, object]] => [read({ uri }), [-32002, { uri }]];
const scheme = (uri: string): [Asked, [number, object]] => [read({ uri }), [-32602, { uri, supported: SUPPORTED }]];
const method = (name: string): [Asked, [number, object]] => [
  { method: name, params: { uri: NO_FILE } },
  [-32601, { method: name }],
];

const TABLE: readonly [Asked, [number, object]][] = [
  none(NO_FILE),
  none("files://"),
  none("files:fl_000000000000000000000000"),
  none("files:///fl_000000000000000000000000"),
  none("files://../../../etc/passwd"),
  none("files://fl_0000000000000000000000/../index.db"),
  none("files://fl_%2e%2e%2fetc"),
  none("files://FL_000000000000000000000000"),
  none(`files://fl_${"0".repeat(24)}\u0000`),
  none(`files://${"x".repeat(1000)}`),
  scheme(""),
  scheme("fl_000000000000000000000000"),
  scheme("file:///etc/passwd"),
  scheme("https://example.com/"),
  scheme("skill://x"),
  [read(), wrong("uri", "undefined")],
  [read({}), wrong("uri", "undefined")],
  [read({ uri: null }), wrong("uri", "null")],
  [read({ uri: 7 }), wrong("uri", "number")],
  [read({ uri: false }), wrong("uri", "boolean")],
  [read({ uri: [NO_FILE] }), wrong("uri", "array")],
  [read({ uri: { uri: NO_FILE } }), wrong("uri", "object")],
  [read({ uri: NO_FILE, _meta: 7 }), wrong("_meta", "number")],
  [list({ cursor: "2" }), [-32602, { cursor: "2" }]],
  [list({ cursor: 2 }), wrong("cursor", "number")],
  [list({ _meta: [] }), wrong("_meta", "array")],
  [list({ filter: "text/plain" }), wrong("filter", "string")],
  [filter(null), wrong("filter", "null")],
  [filter({ tags: "a" }), wrong("filter.tags", "string")],
  [filter({ tags: ["a", 1] }), wrong("filter.tags", "array")],
  [filter({ tags: { 0: "a" } }), wrong("filter.tags", "object")],
  [filter({ mimeType: 1 }), wrong("filter.mimeType", "number")],
  [filter({ mime_type: [] }), wrong("filter.mime_type", "array")],
  [filter({ scheme: 1 }), wrong("filter.scheme", "number")],
  [filter({ scheme: "https" }), [-32602, { scheme: "https", supported: SUPPORTED }]],
  [filter({ size: 3 }), [-32602, { param: "filter.size" }]],
  [filter({ mimetype: "text/plain" }), [-32602, { param: "filter.mimetype" }]],
  [list({ filter: { tags: ["a"] }, _meta: { filter: { tags: ["b"] } } }), twice],
  [filter({ mimeType: "text/plain", mime_type: "text/html" }), twice],
  method("ai.nimblebrain/resources/write"),
  method("ai.nimblebrain/resources/subscribe"),
  method("ai.nimblebrain/secrets/read"),
];

describe.each([
  ["with a key", []],
  ["with --no-auth", ["--no-auth"]],
])("%s", (_, flags) => {
  let host: Served;
  let client: ApiClient;
  let file: FileInfo;

  beforeAll(async () => {
    host = await serveResources({ flags });
    client = apiClient(host.origin, flags.length === 0 ? host.key : null);
    const form = formOf({ tags: "seed" }, ["seed.md", "# Tides\n", "text/markdown"]);
    file = ((await client.ask("POST", "/v1/files", form)).json as { files: [FileInfo] }).files[0];
  });
  afterAll(() => host.stop());

  it.each(WAYS)("over %s every wrong request has its code and its data, and no other", async (way) => {
    const replies = await ask(
      client,
      way,
      TABLE.map(([asked]) => asked),
    );
    const said = replies.map(({ error }, index) => [TABLE[index]?.[0], [error?.code, error?.data]]);
    expect(said).toEqual(TABLE.map(([asked, answer]) => [asked, answer]));
    const unknown = replies.filter(({ error }) => error?.code === -32002).map(({ error }) => error?.message);
    expect(new Set(unknown).size).toBe(1);
  });

  it.each(WAYS)("over %s a file is read and listed, and a filter filters", async (way) => {
    const { uri } = file;
    const row = { uri, name: "seed.md", mimeType: "text/markdown", size: 8 };
    const all = { result: { resources: [row] } };
    const nothing = { result: { resources: [] } };
    const replies = await ask(client, way, [
      read({ uri, _meta: { progressToken: 1 } }),
      list(),
      list({ cursor: "" }),
      filter({ scheme: "files", mimeType: "text/markdown", tags: ["seed"] }),
      filter({ tags: [] }),
      list({ filter: { mime_type: "text/markdown" }, _meta: { filter: { mimeType: "text/markdown" } } }),
      filter({ tags: ["seed", "other"] }),
      filter({ mimeType: "text/" }),
    ]);
    const said = replies.map(({ result, error }) => (error === undefined ? { result: result as unknown } : { error }));
    expect(said).toEqual([
      { result: { contents: [{ uri, mimeType: "text/markdown", text: "# Tides\n" }] } },
      all,
      all,
      all,
      all,
      all,
      nothing,
      nothing,
    ]);
  });

  it.each(["stdio", "http"])("over %s a bundle may ask when no call is under way", async (provider) => {
    await client.call(`${provider}__later`, { requests: [read({ uri: file.uri }), read({ uri: NO_FILE })] });
    const heard = async (): Promise<readonly object[]> =>
      ((await client.call(`${provider}__outside`)) as { outside: object[] }).outside;
    await expect.poll(heard, { timeout: 20_000 }).toHaveLength(2);
    const replies = (await heard()).toSorted((a, b) => Number("error" in a) - Number("error" in b));
    expect(replies).toMatchObject([
      { result: { contents: [{ text: "# Tides\n" }] } },
      { error: { code: -32002, data: { uri: NO_FILE } } },
    ]);
  });
});
