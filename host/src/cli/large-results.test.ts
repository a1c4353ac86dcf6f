/** A result that is too large for one answer, through the whole host: kept as a file, and read on from there. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENTS, type ToolResult } from "./mcp-clients-for-tests.ts";
import { FIXTURES, serve, type Served } from "./serve-for-tests.ts";
import { apiClient, exportEvidence, keyFor, whenRunning, type ApiClient } from "./workspace-client-for-tests.ts";

const LARGE = { args: [join(FIXTURES, "large-server.mjs")] };
const LENGTH = 12_000_000;
const SPILL = "dev.bailiwick/spill";

interface Kept {
  readonly uri: string;
  readonly size: number;
  readonly sha256: string;
}

type Call = (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

let host: Served;
let owner: ApiClient;

beforeAll(async () => {
  host = await serve({
    config: { noDefaultBundles: true },
    bundles: { large: LARGE },
    workspaces: { ws_lab: { members: ["person:ann"], bundles: { large: LARGE } } },
  });
  owner = apiClient(host.origin, host.key);
});
afterAll(() => host.stop());

const keptOf = (result: ToolResult): Kept => result._meta?.[SPILL] as Kept;
const idOf = ({ uri }: Kept): string => uri.slice("files://".length);

/** What the server said from there on, read part by part. */
const readOn = async (call: Call, { uri }: Kept, from = 0): Promise<string> => {
  const parts: string[] = [];
  let offset: number | undefined = from;
  while (offset !== undefined) {
    const { content, structuredContent } = await call("files__read", { uri, offset, length: 1_000_000 });
    parts.push(content[0]?.text ?? "");
    offset = (structuredContent as { nextOffset?: number }).nextOffset;
  }
  return parts.join("");
};

/** The answer to a call whose result does not fit, and where all of it is. */
const callForMuch = async (call: Call, name: string): Promise<[ToolResult, Kept]> => {
  const result = await call(name, { length: LENGTH });
  const kept = keptOf(result);
  expect(JSON.stringify(result).length).toBeLessThan(60_000);
  expect(result.content[0]?.text).toContain(`${kept.size} bytes`);
  expect(result.content[0]?.text).toContain(`files__read {"id":"${idOf(kept)}"`);
  expect(result.content[1]).toMatchObject({ type: "resource_link", uri: kept.uri, size: kept.size });
  return [result, kept];
};

const WAYS: readonly (readonly [string, () => Promise<{ call: Call; close(): Promise<void> }>])[] = [
  ...CLIENTS.map(({ client, connect }) => [client, () => connect(host.mcpUrl, host.key)] as const),
  [
    "REST",
    async () => ({
      call: (name, args) => owner.call(name, args) as Promise<ToolResult>,
      close: () => Promise.resolve(),
    }),
  ],
];

describe.each(WAYS)("a result of 12 MB to %s", (_, connect) => {
  it("comes as its beginning and a file, which can be read on to its last character", async () => {
    const client = await connect();
    const [result, kept] = await callForMuch(client.call, "large__dump");
    expect(result.isError ?? false).toBe(false);
    const end = await readOn(client.call, kept, 12_000_000);
    expect(end).toMatch(/^[\dé\\n]{1199990,}"}]}$/);
    await client.close();
  });

  it("is an error where the tool promised structured content, and still there to be read", async () => {
    const client = await connect();
    const [result, { uri }] = await callForMuch(client.call, "large__typed");
    expect([result.isError, result.structuredContent]).toEqual([true, undefined]);
    const { content } = await client.call("files__read", { uri, length: 60 });
    expect(content[0]?.text).toContain('"structuredContent":{"body":"00000000é');
    await client.close();
  });
});

describe("a large result", () => {
  it("is the file that is kept, to the byte", async () => {
    const call: Call = (name, args) => owner.call(name, args) as Promise<ToolResult>;
    const [, kept] = await callForMuch(call, "large__dump");
    const whole = await readOn(call, kept);
    expect(Buffer.byteLength(whole)).toBe(kept.size);
    expect(hash("sha256", whole)).toBe(kept.sha256);
    const [said] = (JSON.parse(whole) as ToolResult).content;
    expect(said?.text).toHaveLength(LENGTH);
    expect(said?.text?.slice(0, 20)).toBe("00000000é\n00000001é\n");
  });

  it("that fits to the byte passes as it is", async () => {
    // Ten characters are twelve bytes in JSON, and what stands around them 39.
    const length = 8_333_301;
    const { content } = (await owner.call("large__dump", { length })) as ToolResult;
    expect(content[0]?.text).toHaveLength(length);
    const over = (await owner.call("large__dump", { length: length + 1 })) as ToolResult;
    expect(keptOf(over).size).toBe(10_000_001);
  });

  it("is kept in the workspace of the call, and its content is in no evidence", async () => {
    const key = await keyFor(owner, { name: "ann", as: "person:ann", workspace: "ws_lab" });
    const ann = apiClient(host.origin, key);
    await whenRunning(ann, "large");
    const kept = keptOf((await ann.call("large__dump", { length: LENGTH })) as ToolResult);
    expect((await ann.ask("GET", `/v1/files/${idOf(kept)}`)).headers.get("content-length")).toBe(String(kept.size));
    expect((await owner.ask("GET", `/v1/files/${idOf(kept)}`)).status).toBe(404);
    const { files } = (await ann.ask("GET", "/v1/files?tags=spill")).json as { files: object[] };
    expect(files).toMatchObject([{ filename: "large__dump-result.json", createdBy: "person:ann" }]);
    expect((await exportEvidence(host)).text).not.toContain("00000001é");
  });

  it("that the workspace has no room for says so, and shows its beginning", async () => {
    const small = await serve({
      config: { noDefaultBundles: true, files: { maxFileSize: 1_000_000 } },
      bundles: { large: LARGE },
    });
    try {
      const result = (await apiClient(small.origin, small.key).call("large__dump", { length: LENGTH })) as ToolResult;
      expect(result.isError).toBe(true);
      expect(result.content[0]?.text).toMatch(/^The tool ran, and its result has \d+ bytes/);
      expect(result.content[0]?.text).toContain("00000001é");
    } finally {
      await small.stop();
    }
  });
});
