import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { standInFiles, type StandInFiles } from "./files-for-tests.ts";

let door: TestDoor;
let files: StandInFiles;
beforeAll(async () => {
  files = standInFiles();
  door = await openTestDoor({ handleCall: files.handleCall });
});
beforeEach(() => files.kept.clear());
afterAll(() => door.listener.close());

const TYPE = "multipart/form-data; boundary=XX";
const auth = (key: string) => ({ authorization: `Bearer ${key}` });
const part = (head: string, body: string): string =>
  `--XX\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
const file = (name: string, body: string): string =>
  `--XX\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\nContent-Type: text/x\r\n\r\n${body}\r\n`;
const END = "--XX--\r\n";

const send = (body: string, headers: Record<string, string> = {}, key = OWNER): Promise<Said> =>
  knock(door.origin, { path: "/v1/files", headers: { ...auth(key), "content-type": TYPE, ...headers }, body });
const namesKept = (): string[] => [...files.kept.values()].map(({ filename }) => filename);

describe("an upload", () => {
  it("creates each file of the form, with what the fields before it say", async () => {
    const said = await send(
      part('name="tags"', "a") +
        part('name="tags"', "b") +
        part('name="description"', "d") +
        file("ä.txt", "one") +
        file("b", "") +
        END,
    );
    expect(said.status).toBe(201);
    const labels = { tags: ["a", "b"], description: "d", mimeType: "text/x" };
    expect(said.json.files).toMatchObject([
      { filename: "ä.txt", size: 3, ...labels },
      { filename: "b", size: 0, ...labels },
    ]);
    const [one, two] = door.calls.slice(-2);
    expect(one).toMatchObject({ operation: "call", name: "files__create", provider: null, door: "rest" });
    expect(one?.args).toEqual({ filename: "ä.txt", ...labels, encoding: "base64", body: "b25l" });
    for (const { args, argsJson } of [one!, two!]) expect(JSON.parse(argsJson!)).toEqual(args);
  });

  it("takes a file of just the limit, and none that is larger", async () => {
    expect((await send(file("fits", "x".repeat(1000)) + END)).status).toBe(201);
    const said = await send(file("large", "x".repeat(1001)) + END);
    expect(said).toMatchObject({ status: 409, json: { error: "quota_exceeded" } });
    expect(door.calls.at(-1)).toMatchObject({ name: "files__create", args: { filename: "large" } });
    expect((await send(file("huge", "x".repeat(3_000_000)) + END)).status).toBe(409);
    expect(Buffer.from(door.calls.at(-1)?.args["body"] as string, "base64")).toHaveLength(1001);
    expect(namesKept()).toEqual(["fits"]);
  });

  it("that fails in the middle says which files are there", async () => {
    for (const [second, kind] of [
      [file("full", "x"), "quota_exceeded"],
      [file("barred", "x"), "policy_denied"],
      [file("large", "x".repeat(2000)), "quota_exceeded"],
      ["--XX\r\nrubbish", "bad_request"],
    ] as const) {
      files.kept.clear();
      const said = await send(file("first", "x") + second + END);
      expect(said.json).toMatchObject({ error: kind });
      expect(said.json.message).toContain("1 of the form's files were stored before");
      expect(namesKept()).toEqual(["first"]);
    }
  });

  it.each([
    ["another type", "{}", { "content-type": "application/json" }, 415],
    ["a compressed form", END, { "content-encoding": "gzip" }, 415],
    ["no boundary", END, { "content-type": "multipart/form-data" }, 400],
    ["no file", END, {}, 400],
    ["fields alone", part('name="tags"', "a") + END, {}, 400],
    ["no form at all", "hello", {}, 400],
    ["a form that stops", file("a", "x").slice(0, -4), {}, 400],
    ["an unknown field", part('name="owner"', "me") + file("a", "x") + END, {}, 400],
    ["a field after the file", file("a", "x") + part('name="tags"', "a") + END, {}, 400],
    ["a description twice", part('name="description"', "a").repeat(2) + file("a", "x") + END, {}, 400],
    ["a field that is too long", part('name="tags"', "a".repeat(9000)) + file("a", "x") + END, {}, 400],
    ["more files than it may have", file("a", "x").repeat(101) + END, {}, 400],
    [
      "a file without a name",
      '--XX\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n' + END,
      {},
      400,
    ],
  ])("of %s is refused with the next step", async (_, body, headers, status) => {
    const said = await send(body, headers);
    expect(said).toMatchObject({ status, json: { remedy: expect.any(String) } });
    expect(door.bugs).toEqual([]);
  });

  it("that breaks off stores nothing of the broken file", async () => {
    const { port } = new URL(door.origin);
    const head = `POST /v1/files HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${OWNER}\r\n`;
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `${head}Content-Type: ${TYPE}\r\nContent-Length: 5000\r\n\r\n${file("first", "x")}${file("cut", "xx").slice(0, -3)}`,
    );
    await vi.waitFor(() => expect(namesKept()).toEqual(["first"]));
    socket.destroy();
    expect((await send(file("after", "x") + END)).status).toBe(201);
    expect(namesKept()).toEqual(["first", "after"]);
    expect(door.bugs).toEqual([]);
  });

  it("gets the status of whatever refused it", async () => {
    expect(await send(file("full", "x") + END)).toMatchObject({ status: 409, json: { error: "quota_exceeded" } });
    expect(await send(file("barred", "x") + END)).toMatchObject({ status: 403, json: { error: "policy_denied" } });
    expect(await send(file("a", "x") + END, {}, "nobody")).toMatchObject({ status: 401 });
    expect(namesKept()).toEqual([]);
  });

  it("of many at once waits its turn, and not for somebody else's", async () => {
    const many = [file("held", "x"), ...Array.from({ length: 11 }, (_, n) => file(`f${n}`, "x".repeat(900)))];
    const said = many.map((body) => send(body + END));
    await vi.waitFor(() => expect(door.calls.at(-1)?.args["filename"]).toBe("held"));
    expect((await send(file("other", "x") + END, {}, OTHER)).status).toBe(201);
    expect(namesKept()).toEqual(["other"]);
    files.release();
    for (const { status } of await Promise.all(said)) expect(status).toBe(201);
    expect(files.kept.size).toBe(13);
    expect(files.atOnce()).toBe(2);
  });
});

describe("a download", () => {
  const get = (id: string): Promise<Said> =>
    knock(door.origin, { method: "GET", path: `/v1/files/${id}`, headers: auth(OWNER) });

  it("is to be kept, not shown", async () => {
    const [filename, mimeType] = ['a "q"; (ä)\'*.html', "text/html; charset=utf-8"];
    files.kept.set("fl_9", { id: "fl_9", filename, mimeType, text: "<script>" });
    const said = await get("fl_9");
    expect(said).toMatchObject({ status: 200, text: "<script>" });
    expect(said.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-length": "8",
      "x-content-type-options": "nosniff",
      "content-disposition":
        "attachment; filename=\"a _q__ _____.html\"; filename*=UTF-8''a%20%22q%22%3B%20%28%C3%A4%29%27%2A.html",
    });
    expect(said.headers["content-security-policy"]).toContain("sandbox");
    const odd = { id: "fl_8", filename: "\uD800x", mimeType: "text/html\r\nX-Bad: 1", blob: "/wA=" };
    files.kept.set("fl_8", odd);
    const other = await get("fl_8");
    expect(other.headers).toMatchObject({ "content-type": "application/octet-stream", "content-length": "2" });
  });

  it.each([
    ["fl_none", "files://fl_none"],
    ["..%2F..%2Fetc", "files://../../etc"],
    ["%00", "files://\0"],
  ])("of %s is a read like any other, and finds nothing", async (id, uri) => {
    expect(await get(id)).toMatchObject({ status: 404, json: { error: "resource_not_found" } });
    expect(door.calls.at(-1)).toMatchObject({ operation: "read", name: uri, provider: "files", door: "rest" });
  });
});

describe("lists and deletions", () => {
  const ask = (method: string, path: string): Promise<Said> =>
    knock(door.origin, { method, path, headers: auth(OWNER) });

  it("are calls of the tools, and answer what those say to programs, as they say it", async () => {
    const said = await ask("GET", "/v1/files?limit=5&offset=1&tags=a&tags=b&mimeType=text/&sort=size&order=asc");
    expect(said.text).toBe('{"files":[],"total":12345678901234567890}');
    expect(door.calls.at(-1)).toMatchObject({
      name: "files__list",
      door: "rest",
      operation: "call",
      args: { limit: 5, offset: 1, tags: ["a", "b"], mimeType: "text/", sort: "size", order: "asc" },
    });
    await ask("GET", "/v1/files?q=two%20words");
    expect(door.calls.at(-1)).toMatchObject({ name: "files__search", argsJson: '{"query":"two words"}' });
    await ask("DELETE", "/v1/files/fl_1");
    expect(door.calls.at(-1)).toMatchObject({ name: "files__delete", args: { id: "fl_1" } });
  });

  it("leave it to the tool to say what is wrong with a value", async () => {
    const said = await ask("GET", "/v1/files?limit=x");
    expect(door.calls.at(-1)?.args).toEqual({ limit: "x" });
    expect(said.json).toMatchObject({ content: [] });
  });
});
