import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AskAnswer } from "../../kernel/ask.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { openExtensions, SETTINGS, type TestExtensions } from "./bundle-for-tests.ts";

const READ = "ai.nimblebrain/resources/read";
const LIST = "ai.nimblebrain/resources/list";

let host: TestExtensions;
const reopen = async (more: Parameters<typeof openExtensions>[0]): Promise<void> => {
  await host.end();
  host = openExtensions(more);
};
beforeEach(() => {
  host = openExtensions();
});
afterEach(() => host.end());

const parsed = ({ kind, json }: AskAnswer): unknown => ({ [kind]: JSON.parse(json) as unknown });
const ask = async (method: string, params: unknown, port = host.port()): Promise<unknown> =>
  parsed(await port.serve(method, params));
const read = (uri: unknown, port = host.port()): Promise<unknown> => ask(READ, { uri }, port);
const failure = (code: number, data: object): object => ({ error: { code, message: expect.any(String), data } });
const invalid = (data: object): object => failure(-32602, data);

describe("a read", () => {
  it.each([
    ["text/plain", "héllo\u0000\n", true],
    ["text/html; charset=utf-8", "<p>", true],
    ["application/json", "{}", true],
    ["application/xml", "<a/>", true],
    ["application/yaml", "a: 1", true],
    ["application/ld+json", "{}", true],
    ["image/svg+xml", "<svg/>", true],
    ["Text/Markdown", "#", true],
    ["application/pdf", "plain", false],
    ["application/jsonx", "{}", false],
    ["text/plain", Buffer.from([0xff, 0xfe]), false],
    ["image/png", Buffer.from([1, 2, 3]), false],
  ])("gives a file of %s whole, as text where it is text", async (mimeType, bytes, isText) => {
    const { uri } = await host.add(bytes, { mimeType });
    const content = isText ? { text: bytes.toString() } : { blob: Buffer.from(bytes as string).toString("base64") };
    expect(await read(uri)).toEqual({ result: { contents: [{ uri, mimeType: expect.any(String), ...content }] } });
    expect(host.uses).toEqual([
      {
        bundle: { workspace: "ws_default", provider: "research" },
        method: READ,
        uri,
        filter: null,
        size: Buffer.byteLength(bytes),
        count: null,
        outcome: "success",
        code: null,
      },
    ]);
  });

  it("gives an empty file, and the URI as it was asked for", async () => {
    const { uri } = await host.add("");
    const asked = uri.replace("files:", "FILES:");
    expect(await read(asked)).toEqual({ result: { contents: [{ uri: asked, mimeType: "text/plain", text: "" }] } });
  });

  it("says the same of a file that never was, of another workspace's and of one that cannot be read", async () => {
    const other = await host.add("secret", {}, "ws_other");
    const answers = new Set<string>();
    const uris = [
      other.uri,
      `files://fl_${"0".repeat(24)}`,
      "files://",
      "files:",
      `files:${other.id}`,
      "files://../../etc/passwd",
      `files://../ws_other/${other.id}`,
      `files://ws_other/${other.id}`,
      `files://${other.id}/`,
      `files://${other.id}?x`,
      "files:///etc/passwd",
      "files://%2e%2e",
      `files://fl_${"0".repeat(5_000)}`,
      "files://\u0000",
    ];
    for (const uri of uris) {
      const answer = (await read(uri)) as { error: { data: { uri: string } } };
      expect(answer).toEqual(failure(-32002, { uri: uri.slice(0, 2_048) }));
      answers.add(JSON.stringify({ ...answer.error, data: null }));
    }
    const gone = await host.add("x");
    rmSync(join(host.workDir, "workspaces", "ws_default", "files", "data"), { recursive: true });
    const answer = (await read(gone.uri)) as { error: object };
    answers.add(JSON.stringify({ ...answer.error, data: null }));
    expect(answers.size).toBe(1);
    expect(host.uses.every(({ size, outcome, code }) => size === null && outcome === "denied" && code === -32002)).toBe(
      true,
    );
    const mine = host.port("ws_other");
    expect(await read(other.uri, mine)).toMatchObject({ result: { contents: [{ text: "secret" }] } });
  });

  it("looks at no store but its own workspace's", async () => {
    const { uri } = await host.add("x", {}, "ws_other");
    const opened: string[] = [];
    const real = host;
    host = openExtensions({ files: (workspace) => (opened.push(workspace), real.files(workspace)) });
    expect(await read(uri, host.port("ws_mine"))).toEqual(failure(-32002, { uri }));
    expect(await ask(LIST, {}, host.port("ws_mine"))).toEqual({ result: { resources: [] } });
    expect(new Set(opened)).toEqual(new Set(["ws_mine"]));
    await real.end();
  });

  it("serves exactly maxSize, and one byte more is refused before a byte is read", async () => {
    let reads = 0;
    const real = host;
    host = openExtensions({
      files: (workspace) => {
        const store = real.files(workspace);
        return {
          ...store,
          info: (id) => store.info(id),
          read: (id) => {
            reads++;
            return store.read(id);
          },
        };
      },
    });
    const [most, over] = await Promise.all([
      real.add(Buffer.alloc(10_485_760, 1), { mimeType: "image/png" }),
      real.add(Buffer.alloc(10_485_761, 1), { mimeType: "image/png" }),
    ]);
    expect(await read(over.uri)).toEqual(failure(-32005, { uri: over.uri, size: 10_485_761, maxSize: 10_485_760 }));
    expect(reads).toBe(0);
    const answer = (await read(most.uri)) as { result: { contents: [{ blob: string }] } };
    expect(Buffer.from(answer.result.contents[0].blob, "base64")).toHaveLength(10_485_760);
    expect(host.uses.map(({ size, code }) => [size, code])).toEqual([
      [10_485_761, -32005],
      [10_485_760, null],
    ]);
    await real.end();
  });

  it.each([
    ["http://x/y", { uri: "http://x/y", supported: ["files"] }],
    ["file:///etc/passwd", { uri: "file:///etc/passwd", supported: ["files"] }],
    ["filesx://fl_1", { uri: "filesx://fl_1", supported: ["files"] }],
    ["fl_1", { uri: "fl_1", supported: ["files"] }],
    ["", { uri: "", supported: ["files"] }],
    [undefined, { param: "uri", receivedType: "undefined" }],
    [null, { param: "uri", receivedType: "null" }],
    [7, { param: "uri", receivedType: "number" }],
    [["files://x"], { param: "uri", receivedType: "array" }],
    [{}, { param: "uri", receivedType: "object" }],
  ])("of %j says what is wrong with it", async (uri, data) => {
    expect(await read(uri)).toEqual(invalid(data));
  });

  it.each([
    [undefined, { param: "uri", receivedType: "undefined" }],
    [null, { param: "uri", receivedType: "undefined" }],
    [[], { param: "params", receivedType: "array" }],
    ["x", { param: "params", receivedType: "string" }],
    [
      { uri: "files://x", _meta: 1 },
      { param: "_meta", receivedType: "number" },
    ],
  ])("with the params %j says what is wrong with them", async (params, data) => {
    expect(await ask(READ, params)).toEqual(invalid(data));
  });
});

describe("what is not offered", () => {
  it.each(["ai.nimblebrain/resources/write", "ai.nimblebrain/x", "ai.nimblebrain/"])(
    "%s is unknown",
    async (method) => {
      expect(await ask(method, {})).toEqual(failure(-32601, { method }));
      expect(host.uses).toMatchObject([{ method, outcome: "denied", code: -32601 }]);
    },
  );

  it("is unknown to an entry that is offered nothing, and to all where it is switched off", async () => {
    const none = host.port("ws_default", "research", ["ai.nimblebrain/other"]);
    expect([none.offered, none.members, none.meta()]).toEqual([[], "", ""]);
    expect(await ask(LIST, {}, none)).toEqual(failure(-32601, { method: LIST }));
    await reopen({ settings: () => ({ ...SETTINGS, enabled: false }) });
    expect(host.port().offered).toEqual([]);
    expect(await ask(READ, {})).toEqual(failure(-32601, { method: READ }));
  });
});

it("the advertisement is what the contract says, byte for byte", async () => {
  expect(`{${host.port().members}}`).toBe(
    '{"ai.nimblebrain/host-resources":{"read":{"enabled":true,"range":false,"maxSize":10485760},"list":{"enabled":true},"write":{"enabled":false},"schemes":["files"]}}',
  );
  await reopen({ settings: () => ({ ...SETTINGS, maxReadBytes: 5 }) });
  expect(JSON.parse(`{${host.port().members}}`)).toMatchObject({
    "ai.nimblebrain/host-resources": { read: { maxSize: 5 } },
  });
});

describe("when a request cannot be recorded", () => {
  it("nothing is given out, whatever was asked", async () => {
    const { uri } = await host.add("secret");
    const { files } = host;
    const kept = host;
    const refusal = new Refusal("evidence_unavailable", { message: "full", next: "free some space" });
    host = openExtensions({ files, record: () => Promise.reject(refusal) });
    for (const [method, params] of [
      [READ, { uri }],
      [READ, { uri: "files://x" }],
      [LIST, {}],
      ["ai.nimblebrain/x", {}],
    ] as const) {
      expect(await ask(method, params)).toEqual({ error: { code: -32000, message: expect.any(String) } });
    }
    expect(host.bugs).toEqual([]);
    await kept.end();
  });
});

it("a bug of the host is reported and says nothing of its inside", async () => {
  await reopen({
    files: () => {
      throw new Error("inside");
    },
  });
  expect(await ask(LIST, {})).toEqual({ error: { code: -32603, message: expect.not.stringContaining("inside") } });
  expect(host.bugs).toHaveLength(1);
  expect(host.uses).toMatchObject([{ outcome: "failure", code: -32603 }]);
});
