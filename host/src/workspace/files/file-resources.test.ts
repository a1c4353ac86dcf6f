import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileStore } from "../../kernel/files.ts";
import type { ProviderAnswer, ProviderMethod, ProviderRequest } from "../../kernel/provider.ts";
import { createFilesProvider } from "./files-provider.ts";
import { newFile, openStore, refusalOf, temporaryDir } from "./files-for-tests.ts";

const send = (store: FileStore, name: string, method: ProviderMethod = "resources/read"): Promise<ProviderAnswer> =>
  createFilesProvider(store, "1.2.3").send({ method, name, params: "", owner: "person:ann" } as ProviderRequest);

const contents = async (store: FileStore, uri: string): Promise<unknown> => {
  const answer = await send(store, uri);
  if (answer.kind !== "result") throw new Error(`was ${answer.kind}`);
  expect(JSON.parse(answer.json)).toEqual(answer.value);
  return (answer.value as { contents: unknown }).contents;
};

describe("a file as a resource", () => {
  it("is offered by a template, since there may be ten thousand", () => {
    const { templates, resources } = createFilesProvider(openStore(), "1.2.3").catalogue();
    expect(resources).toEqual([]);
    expect(templates).toMatchObject([{ uriTemplate: "files://{id}", value: { name: "file" } }]);
    expect(JSON.parse(templates[0]!.json)).toEqual(templates[0]!.value);
  });

  it.each([
    ["a.txt", "text/plain", Buffer.from("\uFEFFGrüße\n\u0001"), { text: "\uFEFFGrüße\n\u0001" }],
    ["a.json", "application/json", Buffer.from("{}"), { text: "{}" }],
    ["empty.txt", "text/plain", Buffer.alloc(0), { text: "" }],
    ["bad.txt", "text/plain", Buffer.from([0xff, 0]), { blob: "/wA=" }],
    ["a.bin", "application/octet-stream", Buffer.from("text"), { blob: "dGV4dA==" }],
  ])("%s of %s comes whole, with its name", async (filename, mimeType, bytes, content) => {
    const store = openStore();
    const { uri } = await store.create(newFile(filename, bytes, { mimeType }));
    expect(await contents(store, uri)).toEqual([{ uri, mimeType, ...content, _meta: { filename } }]);
  });

  it("has the URI that it was asked for by, and any size that could be stored", async () => {
    const store = openStore();
    const bytes = Buffer.alloc(6 * 1024 * 1024, 0xfe);
    const { uri } = await store.create(newFile("large.bin", bytes));
    const asked = uri.replace("files:", "FILES:");
    const [item] = (await contents(store, asked)) as [{ uri: string; blob: string }];
    expect(item.uri).toBe(asked);
    expect(Buffer.from(item.blob, "base64").equals(bytes)).toBe(true);
  });

  it("is not told apart from one that never was, however the URI is written", async () => {
    const store = openStore();
    const { id } = await openStore().create(newFile("a.txt", "secret"));
    const uris = [`files://${id}`, "files://", "files:", `files:${id}`, "files://../x", `files://${id}/`, "other://x"];
    for (const uri of uris) {
      const no = await refusalOf(() => send(store, uri));
      expect([no.kind, no.details]).toEqual(["resource_not_found", { uri }]);
      expect(no.message.replace(uri, "U")).toBe(
        "There is no file U in this workspace; files__list and files__search show those there are.",
      );
    }
  });

  it("whose bytes are gone from the disk says so", async () => {
    const dir = temporaryDir();
    const store = openStore(dir);
    const { id, uri } = await store.create(newFile("a.txt", "x"));
    rmSync(join(dir, "files", "data", id));
    const no = await refusalOf(() => send(store, uri));
    expect(no.kind).toBe("upstream_failed");
    expect(no.message).toContain(id);
  });

  it.each(["skills/get", "prompts/get", "completion/complete"] as const)("answers no %s", async (method) => {
    expect((await refusalOf(() => send(openStore(), "files://x", method))).kind).toBe("upstream_failed");
  });
});
