import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { BuiltInCall, BuiltInResult, BuiltInTool } from "../../kernel/built-in.ts";
import type { FileInfo, FileStore } from "../../kernel/files.ts";
import type { CallFacts } from "../../kernel/provider.ts";
import { rootListOf } from "../../kernel/roots-for-tests.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createFilesProvider } from "./files-provider.ts";
import { names, newFile, openStore, refusalOf, temporaryDir } from "./files-for-tests.ts";
import { filesTools } from "./files-tools.ts";

const ajv = new Ajv2020({ strict: true, allErrors: true });
const MISSING = `fl_${"0".repeat(24)}`;
const listener = {} as never;
const NO_FACTS = (): never => {
  throw new Error("no tool of the store looks beyond it");
};

/** Runs a tool as the host does: arguments are checked before, and here the result after. */
const use =
  (store: FileStore, facts: BuiltInCall["facts"] = NO_FACTS) =>
  async (name: string, args: object) => {
    const tool = filesTools(store).find(({ definition }) => definition.name === name) as BuiltInTool;
    const { inputSchema, outputSchema } = tool.definition;
    if (!ajv.validate(inputSchema, args)) throw new Error(`schema: ${ajv.errorsText()}`);
    const signal = new AbortController().signal;
    const result = await tool.run({ ...args }, { owner: "agent:x for person:ann", signal, listener, facts });
    if (!ajv.validate(outputSchema as object, result.structuredContent)) throw new Error(`output: ${ajv.errorsText()}`);
    return result as BuiltInResult & {
      content: { type: string; text: string; resource: object }[];
      structuredContent: any;
    };
  };

describe("the tools of the file store", () => {
  it("are these eight, with these hints", () => {
    const provider = createFilesProvider(openStore(), "1.2.3");
    const { version, state } = provider.status();
    expect([provider.name, version, state]).toEqual(["files", "1.2.3", "running"]);
    const hints = provider.catalogue().tools.map(({ name: tool, value }) => [tool, value["annotations"]]);
    const reads = { readOnlyHint: true, openWorldHint: false };
    expect(hints).toEqual([
      ["list", reads],
      ["search", reads],
      ["read", reads],
      ["create", { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }],
      ["info", reads],
      ["tag", { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
      ["delete", { readOnlyHint: false, destructiveHint: true, openWorldHint: false }],
      ["roots", reads],
    ]);
  });

  it.each([
    ["list", { limit: 0 }],
    ["list", { limit: 101 }],
    ["list", { limit: 1.5 }],
    ["list", { offset: -1 }],
    ["list", { sort: "name" }],
    ["list", { order: "up" }],
    ["list", { tags: "x" }],
    ["list", { tag: ["x"] }],
    ["search", {}],
    ["search", { query: "" }],
    ["search", { query: "x", limit: 101 }],
    ["read", { id: "x", length: 0 }],
    ["read", { id: "x", offset: -1 }],
    ["read", { id: "x", length: 1_000_001 }],
    ["create", { filename: "a" }],
    ["create", { body: "a" }],
    ["create", { filename: "a", body: "a", encoding: "hex" }],
    ["create", { filename: "x".repeat(256), body: "a" }],
    ["create", { filename: "a", body: "a", tags: Array.from({ length: 33 }, String) }],
    ["create", { filename: "a", body: "a", path: "/etc" }],
    ["info", {}],
    ["tag", { add: ["x"] }],
    ["tag", { id: "x", add: ["x".repeat(65)] }],
    ["delete", {}],
  ])("take no wrong arguments: %s %.60j", async (name, args) => {
    await expect(use(openStore())(name, args)).rejects.toThrow(/^schema: /);
  });

  it("describe a file as the store does, as data and as text", async () => {
    const store = openStore();
    const run = use(store);
    const args = { filename: "a.md", body: "Grüße", tags: ["t"], description: "d" };
    const made = await run("create", args);
    const file = made.structuredContent.file as FileInfo;
    expect(file).toMatchObject({ filename: "a.md", mimeType: "text/markdown", size: 7, tags: ["t"], description: "d" });
    expect(file.createdBy).toBe("agent:x for person:ann");
    expect(JSON.parse(made.content[0]?.text ?? "")).toEqual({ file });
    expect((await run("info", { id: file.id })).structuredContent).toEqual({ file });
    expect((await run("tag", { id: file.id, add: ["u"], remove: ["t"] })).structuredContent.file.tags).toEqual(["u"]);
    expect((await run("tag", { id: file.id })).structuredContent.file.tags).toEqual(["u"]);
    expect((await run("delete", { id: file.id })).structuredContent).toEqual({ id: file.id, deleted: true });
    expect(store.info(file.id)).toBeNull();
  });

  it("list the newest first, 20 at a time, and search", async () => {
    const store = openStore();
    for (let at = 0; at < 22; at++)
      await store.create(newFile(`f${at}.txt`, `body ${at}`, { tags: at > 19 ? ["late"] : [] }));
    const run = use(store);
    const first = (await run("list", {})).structuredContent;
    expect([first.files.length, first.total]).toEqual([20, 22]);
    expect(first.files[0].createdAt >= first.files[19].createdAt).toBe(true);
    expect(
      names((await run("list", { sort: "filename", order: "asc", limit: 2, offset: 1 })).structuredContent.files),
    ).toEqual(["f1.txt", "f10.txt"]);
    expect((await run("list", { tags: ["late"], mimeType: "text/" })).structuredContent.total).toBe(2);
    expect((await run("list", { mimeType: "image/" })).structuredContent).toEqual({ files: [], total: 0 });
    expect(names((await run("search", { query: "body 21" })).structuredContent.files)).toEqual(["f21.txt"]);
    const found = (await run("search", { query: "body", tags: ["late"], limit: 1 })).structuredContent;
    expect([found.files.length, found.total]).toEqual([1, 2]);
  });

  it.each(["info", "read", "tag", "delete"])("%s of a file that there is not says where to look", async (name) => {
    const run = use(openStore());
    const no = await refusalOf(() => run(name, { id: MISSING }));
    expect([no.kind, no.details]).toEqual(["resource_not_found", { uri: MISSING }]);
    expect(no.message).toContain(MISSING);
    expect(no.next).toContain("files__list");
  });
});

describe("files__create", () => {
  it.each([
    ["AAH/", [0, 1, 255]],
    ["", []],
    ["YQ==", [97]],
  ])("takes the base64 %j", async (body, bytes) => {
    const store = openStore();
    const { file } = (await use(store)("create", { filename: "a.bin", body, encoding: "base64" })).structuredContent;
    expect(Array.from((await store.read(file.id)) ?? [])).toEqual(bytes);
  });

  it.each(["YQ", "YQ=", "YR==", "Y Q=", "YQ==\n", "_-==", "data:text/plain;base64,YQ==", "ä", "===="])(
    "refuses %j, which is not base64, and stores nothing",
    async (body) => {
      const store = openStore();
      const no = await refusalOf(() => use(store)("create", { filename: "a.bin", body, encoding: "base64" }));
      expect([no.kind, no.details["path"]]).toEqual(["invalid_input", "/body"]);
      expect(store.all({})).toEqual([]);
    },
  );

  it("refuses text that is none", async () => {
    const no = await refusalOf(() => use(openStore())("create", { filename: "a.txt", body: "a\ud800" }));
    expect([no.kind, no.details["path"]]).toEqual(["invalid_input", "/body"]);
  });

  it("hands on the quota's refusal", async () => {
    const run = use(openStore(temporaryDir(), { maxFileSize: 1 }));
    const no = await refusalOf(() => run("create", { filename: "a.txt", body: "ä" }));
    expect([no.kind, no.details]).toEqual(["quota_exceeded", { quota: "maxFileSize", limit: 1, used: 2 }]);
  });
});

describe("files__read", () => {
  it("returns text by characters, until the end", async () => {
    const store = openStore();
    const body = "ä😀b".repeat(40_000);
    const file = await store.create(newFile("a.txt", body));
    const run = use(store);
    const first = await run("read", { id: file.id });
    expect(first.structuredContent).toEqual({ file, offset: 0, nextOffset: 50_000 });
    expect(first.content[1]?.text).toContain("offset 50000");
    const second = await run("read", { uri: file.uri, offset: 50_000, length: 60_000 });
    const last = await run("read", { id: file.id, offset: 110_000 });
    expect(last.structuredContent).toEqual({ file, offset: 110_000 });
    expect(last.content).toHaveLength(1);
    expect([first, second, last].map(({ content }) => content[0]?.text).join("")).toBe(body);
  });

  it("returns anything else whole, as an embedded resource", async () => {
    const store = openStore();
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]);
    const file = await store.create(newFile("a.png", bytes, { mimeType: "image/png" }));
    const { content, structuredContent } = await use(store)("read", { id: file.id, offset: 3, length: 1 });
    expect(content).toEqual([
      { type: "resource", resource: { uri: file.uri, mimeType: "image/png", blob: bytes.toString("base64") } },
    ]);
    expect(structuredContent).toEqual({ file, offset: 0 });
  });

  it("refuses what is too large for a result, and reads nothing to find out", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    const max = 5 * 1024 * 1024;
    const fits = await store.create(newFile("fits.bin", new Uint8Array(max)));
    expect((await use(store)("read", { id: fits.id })).content[0]?.type).toBe("resource");
    const large = await store.create(newFile("large.bin", new Uint8Array(max + 1)));
    rmSync(join(dir, "files", "data", large.id));
    const no = await refusalOf(() => use(store)("read", { id: large.id }));
    expect([no.kind, no.details]).toEqual(["too_large", { size: max + 1, maxSize: max }]);
    expect(no.next).toContain(`GET /v1/files/${large.id}`);
    const broken = await store.create(newFile("broken.txt", Buffer.alloc(max + 1, 0xff)));
    expect((await refusalOf(() => use(store)("read", { id: broken.id }))).kind).toBe("too_large");
  });

  it("wants an id or a uri, and not both", async () => {
    const store = openStore();
    const { id, uri } = await store.create(newFile("a.txt", "a"));
    for (const args of [{}, { id, uri }]) {
      const no = await refusalOf(() => use(store)("read", args));
      expect([no.kind, no.message]).toEqual(["invalid_input", expect.stringMatching(/\/id or \/uri/)]);
    }
  });

  it.each([`file://${MISSING}`, `files:///${MISSING}`, "files://../../etc/passwd", "files://", "/etc/passwd"])(
    "finds nothing under %j",
    async (uri) => {
      const store = openStore();
      await store.create(newFile("a.txt", "a"));
      expect((await refusalOf(() => use(store)("read", { uri }))).kind).toBe("resource_not_found");
    },
  );

  it("says so when the bytes are gone", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    const { id } = await store.create(newFile("a.txt", "a"));
    rmSync(join(dir, "files", "data", id));
    const no = await refusalOf(() => use(store)("read", { id }));
    expect([no.kind, no.next]).toEqual(["upstream_failed", expect.stringContaining("files__delete")]);
  });

  it("answers many at once", async () => {
    const store = openStore();
    const { id } = await store.create(newFile("a.txt", "a"));
    const run = use(store);
    const reads = Array.from({ length: 50 }, (_, at) => run("read", { id: at % 5 === 0 ? MISSING : id }));
    const ends = await Promise.allSettled(reads);
    expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(10);
  });
});

describe("files__roots", () => {
  it("tells the roots of the call, usable or not", async () => {
    const list = rootListOf({ project: "/srv/hero" });
    const other = { name: null, uri: "https://x.test/", path: null, reason: "it names no folder" };
    const roots = { ...list, supportsRoots: true, count: 2, rows: [...list.rows, other] };
    const { structuredContent } = await use(openStore(), () => ({ roots }) as unknown as CallFacts)("roots", {});
    expect(structuredContent).toEqual({
      supports_roots: true,
      count: 2,
      roots: [
        { name: "project", uri: "file:///srv/hero", usable: true },
        { name: null, uri: "https://x.test/", usable: false, reason: "it names no folder" },
      ],
    });
  });
});
