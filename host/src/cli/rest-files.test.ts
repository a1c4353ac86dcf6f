/** The workspace's files over REST through the whole host: what goes in comes out, limits are told, walls stand. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileInfo } from "../kernel/files.ts";
import { serve, type Served } from "./serve-for-tests.ts";
import { apiClient, exportEvidence, formOf, keyFor, type ApiClient, type Said } from "./workspace-client-for-tests.ts";

const LIMITS = { maxFileSize: 1000, maxWorkspaceSize: 3000, maxFiles: 8 };

let host: Served;
let owner: ApiClient;
/** Each in a workspace of its own. */
let ann: ApiClient;
let bob: ApiClient;

beforeAll(async () => {
  const workspaces = { ws_ann: { members: ["person:ann"] }, ws_bob: { members: ["person:bob"] } };
  host = await serve({ config: { noDefaultBundles: true, files: LIMITS }, workspaces });
  owner = apiClient(host.origin, host.key);
  const clientOf = async (name: string): Promise<ApiClient> =>
    apiClient(host.origin, await keyFor(owner, { name, as: `person:${name}`, workspace: `ws_${name}` }));
  [ann, bob] = [await clientOf("ann"), await clientOf("bob")];
});
afterAll(() => host.stop());

const listed = async (client: ApiClient, query = ""): Promise<{ files: FileInfo[]; total: number }> =>
  (await client.ask("GET", `/v1/files${query}`)).json as { files: FileInfo[]; total: number };

describe("an upload", () => {
  it("of several files keeps each with its name, type, tags and who brought it", async () => {
    const form = formOf(
      { tags: "report", description: "of the day" },
      ["ä b.md", "# Hi", "application/octet-stream"],
      ["b.bin", new Uint8Array([0, 255, 1])],
      ["empty", ""],
    );
    const { status, json } = await owner.ask("POST", "/v1/files", form);
    const { files } = json as { files: FileInfo[] };
    expect(status).toBe(201);
    expect(files).toMatchObject([
      { filename: "ä b.md", mimeType: "text/markdown", size: 4, tags: ["report"], description: "of the day" },
      { filename: "b.bin", size: 3, createdBy: "person:owner" },
      { filename: "empty", size: 0 },
    ]);
    for (const { id, uri, sha256 } of files) {
      expect([id, uri]).toEqual([expect.stringMatching(/^fl_[0-9a-f]{24}$/), `files://${id}`]);
      expect(sha256).toMatch(/[0-9a-f]{64}$/);
    }
    expect(await listed(owner)).toMatchObject({ total: 3 });
    expect((await listed(owner, "?tags=report&limit=1&sort=filename&order=asc")).files).toMatchObject([
      { filename: "b.bin" },
    ]);
    expect((await listed(owner, "?q=Hi")).files).toMatchObject([{ filename: "ä b.md" }]);
    const read = (await owner.call("files__read", { id: files[0]?.id })) as { content: [{ text: string }] };
    expect(read.content[0].text).toBe("# Hi");
    for (const { id } of files) expect((await owner.ask("DELETE", `/v1/files/${id}`)).status).toBe(200);
    expect(await listed(owner)).toEqual({ files: [], total: 0 });
  });

  it("of a file that is a byte too large is refused with its name and the quota, as a call; one that just fits is kept", async () => {
    const over = await ann.ask("POST", "/v1/files", formOf({}, ["over.txt", "x".repeat(1001)]));
    expect([over.status, over.json]).toMatchObject([
      409,
      {
        error: "quota_exceeded",
        message: expect.stringContaining("over.txt"),
        data: { evidence_id: expect.any(String), details: { quota: "maxFileSize", limit: 1000, used: 1001 } },
      },
    ]);
    expect((await ann.upload("just.txt", "x".repeat(1000))).size).toBe(1000);
    expect(await listed(ann)).toMatchObject({ total: 1 });
  });

  it("into a workspace that is full is refused with 409, what is used, and those that were kept", async () => {
    const full = formOf({}, ["a", "x".repeat(900)], ["b", "x".repeat(900)], ["c", "x".repeat(900)]);
    const said = await ann.ask("POST", "/v1/files", full);
    expect([said.status, said.json.error]).toEqual([409, "quota_exceeded"]);
    expect(said.json.data.details).toMatchObject({ quota: "maxWorkspaceSize", limit: 3000, used: 2800 });
    expect(said.json.data.details.created).toHaveLength(2);
    expect(await listed(ann)).toMatchObject({ total: 3 });
    for (const { id } of (await listed(ann)).files) await ann.ask("DELETE", `/v1/files/${id}`);
    const many = formOf({}, ...Array.from({ length: 9 }, (_, n) => [`f${n}`, "x"] as const));
    const more = await ann.ask("POST", "/v1/files", many);
    expect([more.status, more.json.data.details]).toMatchObject([409, { quota: "maxFiles", limit: 8, used: 8 }]);
    for (const { id } of (await listed(ann)).files) await ann.ask("DELETE", `/v1/files/${id}`);
  });

  it.each<[string, number, object | FormData]>([
    ["no file", 400, formOf({ tags: "x" })],
    ["an unknown field", 400, formOf({ owner: "bob" }, ["a", "x"])],
    ["a name with a separator", 422, formOf({}, ["../a", "x"])],
    ["a name of control characters", 400, formOf({}, ["a\u0007b", "x"])],
    ["a name that is too long", 422, formOf({}, ["x".repeat(256), "x"])],
    ["JSON", 415, { filename: "a" }],
  ])("with %s is refused with %i, and nothing is kept", async (_, status, body) => {
    const said = await owner.ask("POST", "/v1/files", body);
    expect([said.status, said.text]).toEqual([status, expect.stringContaining("remedy")]);
    expect(await listed(owner)).toEqual({ files: [], total: 0 });
  });

  it("that breaks off leaves nothing behind", async () => {
    const headers = { authorization: `Bearer ${host.key}`, "content-type": "multipart/form-data; boundary=b" };
    const broken = request(`${host.origin}/v1/files`, { method: "POST", headers });
    broken.on("error", () => {});
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="half"\r\n\r\nhalf of';
    await new Promise((resolve) => broken.write(part, resolve));
    broken.destroy();
    await owner.upload("whole.txt", "x");
    expect((await listed(owner)).files).toMatchObject([{ filename: "whole.txt" }]);
    await owner.ask("DELETE", `/v1/files/${(await listed(owner)).files[0]?.id}`);
  });
});

describe("a download", () => {
  it.each<[string, string, Uint8Array<ArrayBuffer>]>([
    ["text with a byte order mark", "text/plain", Buffer.from("\ufeffhi\r\n")],
    ["text that is no UTF-8", "text/plain", Buffer.from([0x68, 0xff, 0xfe])],
    ["JSON with NUL", "application/json", Buffer.from('"\u0000"')],
    ["bytes", "image/png", Buffer.from([0, 1, 254, 255])],
    ["nothing", "text/plain", Buffer.alloc(0)],
  ])("of %s is what was uploaded, byte for byte", async (_, type, bytes) => {
    const { id } = await owner.upload("f", bytes, type);
    const said = await fetch(`${host.origin}/v1/files/${id}`, { headers: { authorization: `Bearer ${host.key}` } });
    expect(Buffer.from(await said.arrayBuffer())).toEqual(Buffer.from(bytes));
    expect((await owner.ask("DELETE", `/v1/files/${id}`)).status).toBe(200);
  });

  it("comes to be saved, never to be shown, under its own name", async () => {
    const { id } = await owner.upload("a(b)\u20ac.html", "<script>1</script>", "text/html");
    const { headers, text, status } = await owner.ask("GET", `/v1/files/${id}`);
    expect([status, text]).toEqual([200, "<script>1</script>"]);
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="a_b__.html"; filename*=UTF-8''a%28b%29%E2%82%AC.html`,
    );
    expect(headers.get("content-type")).toBe("text/html");
    expect(headers.get("content-security-policy")).toContain("sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    await owner.ask("DELETE", `/v1/files/${id}`);
  });
});

describe("a file of another workspace", () => {
  const same = ({ status, json }: Said, id: string): unknown =>
    JSON.parse(
      JSON.stringify({ status, json })
        .replaceAll(id, "ID")
        .replace(/evt_c1_[0-9a-f]+/, "EVIDENCE"),
    );

  it("is one that there is not, to be read or to be deleted", async () => {
    const { id } = await ann.upload("mine.txt", "what ann wrote");
    const none = "fl_000000000000000000000000";
    for (const method of ["GET", "DELETE"]) {
      const [foreign, unknown] = [await bob.ask(method, `/v1/files/${id}`), await bob.ask(method, `/v1/files/${none}`)];
      expect(same(foreign, id)).toEqual(same(unknown, none));
      expect(foreign.status).toBe(404);
    }
    for (const odd of ["..%2f..%2fetc%2fpasswd", "fl_", "%00", id.toUpperCase()]) {
      expect([odd, (await ann.ask("GET", `/v1/files/${odd}`)).status]).toEqual([odd, 404]);
    }
    expect(await listed(bob)).toEqual({ files: [], total: 0 });
    expect((await ann.ask("GET", `/v1/files/${id}`)).text).toBe("what ann wrote");
    expect((await exportEvidence(host)).text).not.toContain("what ann wrote");
  });
});

describe("evidence of files", () => {
  it("has each upload as a call in the workspace of whoever brought it, a refused one too", async () => {
    await bob.upload("kept.txt", "x");
    expect((await bob.ask("POST", "/v1/files", formOf({}, ["a/b", "x"]))).status).toBe(422);
    const { events } = await exportEvidence(host);
    const calls = events.filter(
      ({ capability_id: id, subject }) => id === "files__create" && subject?.["id"] === "person://bob",
    );
    expect(new Set(calls.map(({ subject }) => subject?.["workspace"]))).toEqual(new Set(["ws_bob"]));
    expect(calls.map(({ event_type: type }) => type)).toEqual([
      "execution_started",
      "execution_completed",
      expect.stringMatching(/^execution_/),
      ...(calls.length === 4 ? [expect.stringMatching(/^execution_(failed|denied)$/)] : []),
    ]);
  });
});
