import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { contentConfig } from "../configs/configs-for-tests.ts";
import { templateMatches } from "../documents/uri-patterns.ts";
import { GENERATORS } from "../documents/documents-for-tests.ts";
import { generatorShown } from "../documents/generators-document.ts";
import { SELECTION_RULES } from "../generators/select-generator.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import { ask, documentAt, openPlace, readAt, type Place } from "./provider-for-tests.ts";

const SECRET = "not for you";
const CONFIG = `${JSON.stringify(contentConfig({ id: "intro" }), null, 4)}\n\n`;

let place: Place;
let [first, second]: StoredVersion[] = [];
beforeEach(async () => {
  place = openPlace();
  first = await place.store("intro", '# "One"\n\u{1f600}');
  second = await place.store("intro", "{}", "json");
  await place.store("outro", "bye", "text");
  place.save("content", "intro", CONFIG);
  place.save("artifact", "book", '{"type":"artifact","id":"book","metadata":{"title":"Book"}}');
  writeFileSync(join(place.root, "secret.json"), SECRET);
  place.pass(10_000);
  await place.provider.whenListed();
});

const at = (uri: string) => readAt(place.provider, uri);
const indexAt = (uri: string) => documentAt(place.provider, uri);

describe("resources of compose", () => {
  it("are configs as they were saved, byte for byte", async () => {
    const config = { uri: "config://content/intro", mimeType: "application/json", text: CONFIG };
    expect(await at("config://content/intro")).toEqual(config);
    expect(JSON.parse((await at("config://artifact/book")).text)).toMatchObject({ id: "book" });
  });

  it("are texts with the type of their format: the latest, or one version", async () => {
    expect(await at("content://intro")).toEqual({ uri: "content://intro", mimeType: "application/json", text: "{}" });
    const uri = `content://intro/${first!.version_id}`;
    expect(await at(uri)).toEqual({ uri, mimeType: "text/markdown", text: '# "One"\n\u{1f600}' });
    expect((await at("content://outro")).mimeType).toBe("text/plain");
  });

  it.each([
    ["python", "text/x-python"],
    ["yaml", "application/yaml"],
    ["html", "text/html"],
    ["gherkin", "text/x-gherkin"],
    ["unheard", "text/plain"],
  ])("in the format %s have the type %s", async (format, mimeType) => {
    await place.store("other", "x", format);
    expect((await at("content://other")).mimeType).toBe(mimeType);
  });

  it("are generators, as capabilities://generators has them", async () => {
    for (const listed of GENERATORS)
      expect(await indexAt(`generator://${listed.entry.type}`)).toEqual(generatorShown(listed));
  });

  it("are schemas that can be used, each under its own id", async () => {
    const { items, total } = await indexAt("schema://");
    expect(items.map(({ id }: { id: string }) => id)).toEqual([
      "content",
      "artifact",
      "generator-plugin",
      "capabilities-server",
      "capabilities-tools",
      "capabilities-resources",
      "capabilities-generators",
    ]);
    expect(total).toBe(7);
    const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false });
    for (const { uri } of items) {
      const schema = await indexAt(uri);
      expect(schema.$id).toBe(uri);
      expect(ajv.compile(schema)).toBeTypeOf("function");
    }
  });

  it("have the old decision tree, which says at each read that it is deprecated", async () => {
    const { description, _meta, text } = await at("generator://decision_tree");
    expect(_meta).toEqual({ deprecated: true });
    expect(description).toMatch(/^Deprecated: read capabilities:\/\/generators/);
    const { priority, ...rest } = JSON.parse(text);
    expect(rest).toEqual({ deprecated: true, replaced_by: "capabilities://generators", fallback: "jinja2" });
    expect(priority.map(({ id }: { id: string }) => id)).toEqual(SELECTION_RULES.map(({ id }) => id));
  });
});

describe("index documents", () => {
  it.each([
    ["config://content/", ["intro"]],
    ["config://artifact/", ["book"]],
    ["content://", ["intro", "outro"]],
    ["generator://", GENERATORS.map(({ entry }) => entry.type)],
  ])("%s lists what there is, and all of it can be read", async (uri, ids) => {
    const { items, total } = await indexAt(uri);
    expect(items.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(total).toBe(ids.length);
    for (const item of items) expect((await at(item.uri)).uri).toBe(item.uri);
  });

  it("list the versions of a content, the oldest first", async () => {
    const { items, total } = await indexAt("content://intro/versions");
    expect(total).toBe(2);
    expect(items[0]).toEqual({
      id: first!.version_id,
      uri: `content://intro/${first!.version_id}`,
      timestamp: first!.timestamp,
      format: "markdown",
      mime_type: "text/markdown",
      size_bytes: first!.size_bytes,
      generator: "template_fill",
      content_hash: first!.content_hash,
      approved: false,
    });
    expect(items[1].id).toBe(second!.version_id);
    for (const { uri } of items) expect((await at(uri)).uri).toBe(uri);
  });

  it("list a config that is no JSON, with what is wrong, and it can be read as it is", async () => {
    place.save("content", "broken", "{oops");
    const { items } = await indexAt("config://content/");
    expect(items[0]).toMatchObject({ id: "broken", title: null, fault: expect.stringContaining("no JSON") });
    expect((await at("config://content/broken")).text).toBe("{oops");
  });

  it("are empty where there is nothing", async () => {
    const { provider } = openPlace();
    for (const uri of ["config://content/", "config://artifact/", "content://"])
      expect(await documentAt(provider, uri)).toEqual({ items: [], total: 0 });
  });
});

const NOTHING = [
  "config://",
  "config://content//",
  "config://content/../secret.json",
  "config://content/..",
  "config://content/%2e%2e",
  "config://content/intro/intro-content.json",
  "config://content/intro\0",
  "config://content/intro\n",
  "config://content/Intro",
  "config://../secret.json",
  "config://draft/intro",
  `config://content/${"a".repeat(256)}`,
  `config://content/${"a".repeat(100_000)}`,
  "content:///",
  "content://..",
  "content://../../secret.json",
  "content://intro/../outro",
  "content://intro//versions",
  "content://intro/versions/x",
  "content://intro\\versions",
  "content://draft-20260101T000000-abcdef",
  "content:/intro",
  "content:intro",
  " content://intro",
  "content://intro?x=1",
  "content://intro#x",
  "schema://../secret",
  "schema://__proto__",
  "schema://constructor",
  "generator://__proto__",
  "generator://jinja2/x",
  "file:///etc/passwd",
  "__proto__",
  "",
];

const PIECES = (
  "config content schema generator capabilities artifact intro versions jinja2 " +
  ":// / .. . \\ %2f %2e \0 ? # : secret.json C: ~ \ud800 \u00e9"
).split(" ");

describe("a URI", () => {
  it.each([
    ["CONFIG://content/intro", "config://content/intro"],
    ["config://content/intro/", "config://content/intro"],
    ["config://content", "config://content/"],
    ["Content://intro/", "content://intro"],
    ["content://intro/versions/", "content://intro/versions"],
    ["Schema://", "schema://"],
    ["schema://content/", "schema://content"],
    ["GENERATOR://jinja2/", "generator://jinja2"],
    ["generator://decision_tree/", "generator://decision_tree"],
  ])("%s is %s", async (given, uri) => {
    expect((await at(given)).uri).toBe(uri);
  });

  it.each([
    ["config://content/other", ["config://content/", "config://content/intro"]],
    ["config://artifact/intro", ["config://artifact/", "config://artifact/book"]],
    ["content://other", ["content://", "content://intro", "content://outro"]],
    ["content://other/versions", ["content://", "content://intro", "content://outro"]],
    ["content://intro/2020-01-01T00:00:00.000Z", ["content://intro/versions", "content://intro"]],
    ["generator://other", ["generator://", ...GENERATORS.map(({ entry }) => `generator://${entry.type}`)]],
  ])("%s is not there, and the refusal names what is", async (uri, known) => {
    const no = { kind: "resource_not_found", details: { uri, known } };
    await expect(ask(place.provider, uri)).rejects.toMatchObject(no);
    for (const each of known) expect((await at(each)).uri).toBe(each);
  });

  it("that is none, or has no id where one must be, is nothing that can be read", async () => {
    for (const uri of NOTHING) {
      const no = await ask(place.provider, uri).catch((error: unknown) => error);
      expect([uri, no]).toMatchObject([uri, { kind: "resource_not_found" }]);
    }
  });

  it("leads through no link, and to no file that is larger than what is read", async () => {
    mkdirSync(join(place.root, "configs/content/linked"), { recursive: true });
    symlinkSync(join(place.root, "secret.json"), join(place.root, "configs/content/linked/linked-content.json"));
    place.save("content", "large", " ".repeat(10_000_001));
    for (const id of ["linked", "large"])
      await expect(ask(place.provider, `config://content/${id}`)).rejects.toMatchObject({ kind: "resource_not_found" });
    expect((await indexAt("config://content/")).total).toBe(1);
  });

  it("whatever it is, is a document of its family or is not found, and nothing outside is read", async () => {
    const piece = fc.constantFrom(...PIECES);
    const hostile = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      fc
        .tuple(fc.constantFrom("config://content/", "config://artifact/", "content://"), fc.string())
        .map((p) => p.join("")),
    );
    const { templates, resources } = place.provider.catalogue();
    const isOwn = (uri: string): boolean =>
      resources.some((each) => each.uri === uri) || templates.some((each) => templateMatches(each.uriTemplate, uri));
    await fc.assert(
      fc.asyncProperty(hostile, async (uri) => {
        const found = await at(uri).catch((no: { kind?: unknown }) => no);
        if (!("text" in found))
          expect(found).toMatchObject({ kind: "resource_not_found", details: { known: expect.any(Array) } });
        else {
          expect(isOwn(found.uri)).toBe(true);
          expect(found.text).not.toContain(SECRET);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(place.bugs).toEqual([]);
  });
});
