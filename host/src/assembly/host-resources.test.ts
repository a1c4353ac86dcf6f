/**
 * The extension `ai.nimblebrain/host-resources` from a server's process to the files and back, with the real store, the
 * real wires and the real door.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectTo } from "../bundles/legs/port-for-tests.ts";
import { call } from "../bundles/legs/process-for-tests.ts";
import type { FileInfo } from "../kernel/files.ts";
import { HOST_RESOURCES, type ExtensionPort } from "../kernel/host-extension.ts";
import type { ProviderAnswer } from "../kernel/provider.ts";
import { createExtensionDoor } from "../transport/ext-door.ts";
import { createFiles } from "../workspace/files/create-files.ts";
import { createHostExtensions, type OfferedExtensions } from "../workspace/host-resources/create-host-extensions.ts";
import type { ExtensionUse } from "../workspace/host-resources/extension-use.ts";

const READ = "ai.nimblebrain/resources/read";
const LIST = "ai.nimblebrain/resources/list";
const MODES = ["stdio", "http", "sse", "modern-stdio", "modern-http"];
const MIB = 1_048_576;

const ending: (() => unknown)[] = [];
let files: ReturnType<typeof createFiles>;
let extensions: OfferedExtensions;
let uses: ExtensionUse[];

beforeEach(async () => {
  const workDir = mkdtempSync(join(tmpdir(), "bailiwick-extension-"));
  files = createFiles({
    workDir,
    limits: { maxFileSize: 25 * MIB, maxWorkspaceSize: 1024 * MIB, maxFiles: 10_000 },
  });
  ending.push(async () => {
    await files.close();
    rmSync(workDir, { recursive: true, force: true });
  });
  uses = [];
  let origin: string | null = null;
  extensions = createHostExtensions({
    files: (workspace) => files.of(workspace),
    settings: () => ({ enabled: true, ratePerSecond: 1, burst: 1000, maxReadBytes: 10 * MIB }),
    origin: () => origin,
    judge: () => null,
    record: async (use) => void uses.push(use),
    report: (bug) => {
      throw bug;
    },
  });
  const door = createExtensionDoor({ extensions, rejected: () => {} });
  const server = createServer((req, res) => void door({ req, res, route: { path: req.url ?? "" } }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ending.push(() => server.close().closeAllConnections());
});

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const add = (workspace: string, bytes: string | Buffer, mimeType = "text/plain"): Promise<FileInfo> =>
  files.of(workspace).create({ filename: "f", mimeType, bytes: Buffer.from(bytes), createdBy: "person:local" });
const portOf = (workspace: string, provider = "research"): ExtensionPort => {
  const port = extensions.port({ workspace, provider }, [HOST_RESOURCES]);
  port.open();
  return port;
};
const said = (answer: ProviderAnswer): Record<string, unknown> => JSON.parse(answer.json) as Record<string, unknown>;

/** What the server was answered, by whichever way its era has. */
const ask = async (mode: string, port: ExtensionPort, request: object): Promise<unknown> => {
  const server = await connectTo(mode, port, ending);
  if (!mode.startsWith("modern")) {
    const [reply] = said(await call(server, "use", JSON.stringify({ requests: [request] })))["replies"] as {
      result?: unknown;
      error?: unknown;
    }[];
    return reply?.result ?? { error: reply?.error };
  }
  const args = JSON.stringify({ requests: { only: request } });
  return (said(await call(server, "use", args))["inputResponses"] as { only: unknown }).only;
};

describe.each(MODES)("a bundle over %s", (mode) => {
  it("reads a file of its workspace, and of no other", async () => {
    const [mine, other] = [await add("ws_default", "héllo"), await add("ws_other", "secret")];
    expect(await ask(mode, portOf("ws_default"), { method: READ, params: { uri: mine.uri } })).toEqual({
      contents: [{ uri: mine.uri, mimeType: "text/plain", text: "héllo" }],
    });
    expect(await ask(mode, portOf("ws_default"), { method: READ, params: { uri: other.uri } })).toMatchObject({
      error: { code: -32002, data: { uri: other.uri } },
    });
    expect(uses.map(({ uri, size, code }) => [uri, size, code])).toEqual([
      [mine.uri, 6, null],
      [other.uri, null, -32002],
    ]);
  });

  it("reads a file of 10 MiB whole, and of one of a byte more it is told the size", async () => {
    const most = await add("ws_default", Buffer.alloc(10 * MIB, 200), "application/pdf");
    const over = await add("ws_default", Buffer.alloc(10 * MIB + 1), "application/pdf");
    const port = portOf("ws_default");
    const answer = (await ask(mode, port, { method: READ, params: { uri: most.uri } })) as {
      contents: [{ blob: string }];
    };
    expect(Buffer.from(answer.contents[0].blob, "base64").equals(Buffer.alloc(10 * MIB, 200))).toBe(true);
    expect(await ask(mode, port, { method: READ, params: { uri: over.uri } })).toMatchObject({
      error: { code: -32005, data: { uri: over.uri, size: 10 * MIB + 1, maxSize: 10 * MIB } },
    });
  });

  it("lists what is in its workspace while another of the same name lists in another", async () => {
    await add("ws_a", "1");
    await add("ws_b", "22");
    const lists = await Promise.all(
      ["ws_a", "ws_b"].map((workspace) => ask(mode, portOf(workspace), { method: LIST, params: {} })),
    );
    expect(lists).toMatchObject([{ resources: [{ size: 1 }] }, { resources: [{ size: 2 }] }]);
    expect(uses.map(({ bundle }) => bundle.workspace).toSorted()).toEqual(["ws_a", "ws_b"]);
  });
});

it("of 1,500 reads at once each is answered, those above the burst with when to ask again", async () => {
  const { uri } = await add("ws_default", "12345");
  const port = portOf("ws_default");
  const server = await connectTo("stdio", port, ending);
  const each = { method: READ, params: { uri } };
  const { tally } = said(await call(server, "flood", JSON.stringify({ times: 1_500, each })));
  const { "read 5": served, "-32004": refused } = tally as Record<string, number>;
  expect((served ?? 0) + (refused ?? 0)).toBe(1_500);
  expect(served).toBeGreaterThanOrEqual(1_000);
  expect(refused).toBeGreaterThan(0);
  port.close();
  expect(uses.reduce((all, { times = 1 }) => all + times, 0)).toBe(1_500);
  expect(uses.filter(({ code }) => code === -32004)).toHaveLength(2);
});

it("a bundle that is started again finds its bucket as it was left", async () => {
  const first = await connectTo("stdio", portOf("ws_default"), ending);
  const flood = (times: number): string => JSON.stringify({ times, each: { method: LIST, params: {} } });
  await call(first, "flood", flood(1_100));
  await first.close("it is started again");
  const again = await connectTo("stdio", portOf("ws_default"), ending);
  const { tally } = said(await call(again, "flood", flood(200)));
  expect((tally as Record<string, number>)["-32004"]).toBeGreaterThan(150);
  const other = await connectTo("stdio", portOf("ws_default", "other"), ending);
  const [fresh] = said(await call(other, "use", JSON.stringify({ requests: [{ method: LIST }] })))[
    "replies"
  ] as object[];
  expect(fresh).toHaveProperty("result");
});

describe.each(["modern-stdio", "modern-http"])("a bundle over %s that asks over HTTP", (mode) => {
  it("gets the same answers with the token of its request, until it has stopped", async () => {
    const { uri } = await add("ws_default", "hello");
    const port = portOf("ws_default");
    const server = await connectTo(mode, port, ending);
    const post = async (request: object, more: object = {}): Promise<Record<string, unknown>> =>
      said(await call(server, "post", JSON.stringify({ request, ...more })));
    expect(await post({ method: READ, params: { uri } })).toMatchObject({
      status: 200,
      reply: { id: 7, result: { contents: [{ uri, text: "hello" }] } },
    });
    expect(await post({ method: READ, params: {} })).toMatchObject({
      status: 200,
      reply: { error: { code: -32602, data: { param: "uri", receivedType: "undefined" } } },
    });
    const stale = (JSON.parse(`{${port.meta()}}`) as Record<string, { token: string }>)[HOST_RESOURCES]?.token;
    port.close();
    port.open();
    expect(await post({ method: LIST }, { token: stale })).toMatchObject({ status: 401 });
    expect(await post({ method: LIST })).toMatchObject({ status: 200 });
  });
});
