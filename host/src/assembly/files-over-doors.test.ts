/** Files come and go through every door over the one call path: each upload, download and read is gated and recorded as a call. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileInfo } from "../kernel/files.ts";
import type { Host } from "./host.ts";
import { openEvidence } from "./open-evidence.ts";
import { createHost } from "./open-host.ts";

interface Event {
  readonly event_type: string;
  readonly event_id: string;
  readonly capability_id: string;
  readonly payload: { readonly uri?: string };
  readonly subject: { readonly id: string; readonly door: string };
  readonly error: { readonly code: string } | null;
  readonly denial: { readonly code: string } | null;
}

let dir: string;
let host: Host;
let at: { readonly origin: string; readonly mcpUrl: string };
let key: string;
let seen = 0;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-doors-"));
  host = await createHost({
    workDir: join(dir, "work"),
    noDefaultBundles: true,
    files: { maxFiles: 5 },
    mcp: { maxResultBytes: 20_000 },
  });
  await host.start();
  at = await host.listen({ port: 0 });
  key = readFileSync(join(dir, "work", "owner.key"), "utf8").trim();
});
afterAll(async () => {
  await host.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** What was written about calls since the last look. */
const newEvents = (): Event[] => {
  const evidence = openEvidence(join(dir, "work"));
  const lines = [...evidence.range(seen + 1, evidence.last())];
  seen = evidence.last();
  evidence.close();
  return lines.map((line) => JSON.parse(line) as Event).filter((event) => event.event_type.startsWith("execution_"));
};
const told = (event: Event | undefined) => [event?.event_type, event?.capability_id, event?.subject.door];

const ask = (method: string, path: string, body?: FormData, as = key): Promise<Response> =>
  fetch(`${at.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${as}` },
    ...(body === undefined ? {} : { body }),
  });
const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>, as = key): Promise<Response> => {
  const form = new FormData();
  form.append("file", new Blob([bytes], { type: "application/octet-stream" }), name);
  return ask("POST", "/v1/files", form, as);
};
const made = async (said: Response): Promise<FileInfo> => {
  expect(said.status).toBe(201);
  return ((await said.json()) as { files: FileInfo[] }).files[0]!;
};

interface Knock {
  readonly url?: string;
  readonly as?: string;
}
const rpc = async (method: string, params: Record<string, unknown>, knock: Knock = {}): Promise<any> => {
  const { url = at.mcpUrl, as = key } = knock;
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = params["name"] ?? params["uri"];
  const headers = {
    authorization: `Bearer ${as}`,
    "content-type": "application/json",
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
  return (await fetch(url, { method: "POST", headers, body })).json();
};
const wipe = async (): Promise<void> => {
  const { files } = (await (await ask("GET", "/v1/files")).json()) as { files: FileInfo[] };
  for (const { id } of files) await ask("DELETE", `/v1/files/${id}`);
};

describe("a file over REST", () => {
  it("comes back byte for byte, and both ways are recorded as calls", async () => {
    const bytes = randomBytes(7_000_001);
    newEvents();
    const file = await made(await upload("a b.bin", bytes));
    expect(file).toMatchObject({ filename: "a b.bin", size: bytes.length, createdBy: "person:owner" });
    const put = newEvents();
    expect(put.map(told)).toEqual([
      ["execution_started", "files__create", "rest"],
      ["execution_completed", "files__create", "rest"],
    ]);
    const said = await ask("GET", `/v1/files/${file.id}`);
    expect(said.headers.get("content-disposition")).toContain('filename="a b.bin"');
    expect(bytes.equals(Buffer.from(await said.arrayBuffer()))).toBe(true);
    const took = newEvents();
    expect(took.map(told)).toEqual([
      ["execution_started", "files:resources", "rest"],
      ["execution_completed", "files:resources", "rest"],
    ]);
    expect(took[0]?.payload.uri).toBe(file.uri);
    await wipe();
  });

  it("that is refused has the status, the evidence and the code of that refusal", async () => {
    for (let n = 0; n < 5; n++) await made(await upload(`f${n}`, Buffer.from("x")));
    newEvents();
    const full = await upload("one-more", Buffer.from("x"));
    const no = (await full.json()) as { error: string; data: { evidence_id: string; details: object } };
    expect([full.status, no.error]).toEqual([409, "quota_exceeded"]);
    expect(no.data.details).toMatchObject({ quota: "maxFiles", limit: 5, used: 5 });
    const failed = newEvents().at(-1);
    expect([failed?.event_id, failed?.error?.code]).toEqual([no.data.evidence_id, "dev.bailiwick.quota_exceeded"]);
    const gone = await ask("GET", "/v1/files/..%2Fx");
    expect([gone.status, newEvents().at(-1)?.error?.code]).toEqual([404, "dev.bailiwick.resource_not_found"]);
    expect((await gone.json()) as object).toMatchObject({ error: "resource_not_found" });
    await wipe();
  });

  it("is for keys whose scope covers it, and the attempt of another is recorded", async () => {
    const file = await made(await upload("mine", Buffer.from("x")));
    const { secret } = await host.keys.create({ name: "narrow", scopes: ["files__list"] });
    newEvents();
    const put = await upload("a", Buffer.from("x"), secret);
    expect([put.status, ((await put.json()) as { error: string }).error]).toEqual([403, "not_visible"]);
    expect((await ask("GET", `/v1/files/${file.id}`, undefined, secret)).status).toBe(404);
    expect(newEvents().map(({ denial }) => denial?.code)).toEqual([
      "policy_blocked",
      "dev.bailiwick.resource_not_found",
    ]);
    await wipe();
  });
});

describe("a key that may do nothing but files__read", () => {
  it("reads a file at every door, and sees nothing else of them", async () => {
    const file = await made(await upload("mine", Buffer.from("x")));
    const { secret } = await host.keys.create({ name: "reader", scopes: ["files__read"] });
    const got = await ask("GET", `/v1/files/${file.id}`, undefined, secret);
    expect([got.status, await got.text()]).toEqual([200, "x"]);
    for (const url of [at.mcpUrl, `${at.mcpUrl}/providers/files`]) {
      const { result } = await rpc("resources/read", { uri: file.uri }, { url, as: secret });
      expect(result.contents).toMatchObject([{ uri: file.uri, blob: "eA==" }]);
    }
    expect((await ask("GET", "/v1/files", undefined, secret)).status).toBe(403);
    await wipe();
  });
});

describe("a file over MCP", () => {
  it("that a result links to is read by its link, here and at the endpoint of files", async () => {
    const { id } = await made(await upload("long.txt", Buffer.from("x".repeat(30_000))));
    const { result } = await rpc("tools/call", { name: "files__read", arguments: { id } });
    const link = result.content.find(({ type }: { type: string }) => type === "resource_link");
    expect(link.uri).toMatch(/^files:\/\/fl_[0-9a-f]{24}$/);
    for (const url of [at.mcpUrl, `${at.mcpUrl}/providers/files`]) {
      const read = await rpc("resources/read", { uri: link.uri }, { url });
      const [item] = read.result.contents;
      expect(item).toMatchObject({ uri: link.uri, mimeType: "application/json", _meta: { filename: link.name } });
      expect(JSON.parse(item.text).structuredContent.file.id).toBe(id);
    }
    const { result: listed } = await rpc("resources/templates/list", {}, { url: `${at.mcpUrl}/providers/files` });
    expect(listed.resourceTemplates).toMatchObject([{ uriTemplate: "files://{id}" }]);
    const none = await rpc("resources/read", { uri: "files://fl_none" });
    expect(none.error).toMatchObject({ code: -32602, data: { kind: "resource_not_found" } });
    await wipe();
  });

  it.each([
    ["files__read", { id: "fl_none" }, "resource_not_found"],
    ["files__create", { filename: "sixth", body: "" }, "quota_exceeded"],
  ])("that %s refuses reaches a model with the next step", async (name, args, kind) => {
    for (let n = 0; n < 5; n++) await made(await upload(`f${n}`, Buffer.from("x")));
    const { result } = await rpc("tools/call", { name, arguments: args });
    const refusal = result._meta["dev.bailiwick/refusal"];
    expect(refusal).toMatchObject({ kind, chp_code: `dev.bailiwick.${kind}`, stage: 10 });
    expect(result).toMatchObject({ isError: true, content: [{ text: `${refusal.message}\n${refusal.next}` }] });
    await wipe();
  });
});
