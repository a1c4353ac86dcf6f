import { beforeEach, describe, expect, it } from "vitest";
import { contentConfig } from "../configs/configs-for-tests.ts";
import { GENERATORS } from "../documents/documents-for-tests.ts";
import { openPlace, readAt, type Place } from "./provider-for-tests.ts";

const GENERATOR_URIS = GENERATORS.map(({ entry }) => `generator://${entry.type}`);
const PLUGIN = {
  ...GENERATORS[0]!,
  entry: { ...GENERATORS[0]!.entry, type: "mine", source: "plugin", plugin_path: "mine.generator.mjs" },
} as const;

let place: Place;
beforeEach(async () => {
  place = openPlace();
  await place.provider.whenListed();
});

const uris = (): string[] => place.provider.more.list().map(({ uri }) => uri);
const others = (): string[] => uris().filter((uri) => !uri.startsWith("generator:"));
const change = (uri: string): Promise<void> => {
  place.provider.changed(uri);
  return place.provider.whenListed();
};

describe("the list of what compose has", () => {
  it("has what was there at the start, and all of it can be read", async () => {
    await place.store("intro", "one");
    place.save("content", "intro", JSON.stringify(contentConfig({ id: "intro" })));
    const again = openPlace({ parts: place.parts });
    await again.provider.whenListed();
    const listed = again.provider.more.list();
    expect(listed.map(({ uri }) => uri)).toEqual([
      "config://content/intro",
      "content://intro",
      expect.stringMatching(/^content:\/\/intro\/2026-/),
      ...GENERATOR_URIS,
    ]);
    for (const { uri, json, value } of listed) {
      expect(JSON.parse(json)).toEqual(value);
      expect((await readAt(again.provider, uri)).mimeType).toBe(value["mimeType"]);
      expect(again.provider.more.has(uri)).toBe(true);
    }
    expect(await again.provider.there()).toMatchObject({ contentConfigs: ["intro"], contents: [{ id: "intro" }] });
  });

  it("is the same while nothing changed, whatever is said", async () => {
    await place.store("intro", "one");
    await change("content://intro");
    const [list, told] = [place.provider.more.list(), place.told()];
    for (const uri of ["content://intro", "content://none", "config://content/none", "generator://jinja2", "nonsense"])
      await change(uri);
    place.pass(10_000);
    await place.provider.whenListed();
    expect(place.provider.more.list()).toBe(list);
    expect(place.told()).toBe(told);
  });

  it("grows by what was made, and keeps every other entry", async () => {
    await place.store("intro", "one");
    await place.store("zoo", "one");
    await change("content://intro");
    await change("content://zoo");
    const before = place.provider.more.list();
    const told = place.told();
    const made = await place.store("intro", "two");
    await change("content://intro");
    const after = place.provider.more.list();
    expect(after.filter((entry) => !before.includes(entry)).map(({ uri }) => uri)).toEqual([
      `content://intro/${made.version_id}`,
    ]);
    expect(before.every((entry) => after.includes(entry))).toBe(true);
    expect(place.told()).toBe(told + 1);
  });

  it("is told of once where much changed at a time", async () => {
    const told = place.told();
    const ids = Array.from({ length: 50 }, (_, at) => `text-${at}`);
    await Promise.all(ids.map((id) => place.store(id, "x")));
    for (const id of ids) place.provider.changed(`content://${id}`);
    await place.provider.whenListed();
    expect(others()).toHaveLength(100);
    expect(place.told()).toBe(told + 1);
  });

  it("loses what was removed", async () => {
    const { version_id } = await place.store("intro", "one");
    await change("content://intro");
    await place.versions.remove("intro", { keepMeta: false });
    await change("content://intro");
    expect(others()).toEqual([]);
    expect(place.provider.more.has("content://intro")).toBe(false);
    expect(place.provider.more.has(`content://intro/${version_id}`)).toBe(false);
  });

  it("has no draft and no version of one", async () => {
    await place.store("draft-20260101T000000-abcdef", "x");
    await change("content://draft-20260101T000000-abcdef");
    place.pass(10_000);
    await place.provider.whenListed();
    expect(others()).toEqual([]);
  });

  it("finds out by itself what people saved and removed by hand", async () => {
    place.save("artifact", "book", '{"type":"artifact","metadata":{"title":"Book"}}');
    expect(others()).toEqual([]);
    place.pass(10_000);
    expect(others()).toEqual([]);
    await place.provider.whenListed();
    expect(others()).toEqual(["config://artifact/book"]);
    expect(place.provider.more.list()[0]!.value).toMatchObject({ description: "Book" });
    place.unsave("artifact", "book");
    place.pass(10_000);
    await place.provider.whenListed();
    expect(others()).toEqual([]);
  });

  it("has no config that is too large to be read", async () => {
    place.save("content", "large", " ".repeat(10_000_001));
    await change("config://content/large");
    place.pass(10_000);
    await place.provider.whenListed();
    expect(others()).toEqual([]);
    expect((await place.provider.there()).contentConfigs).toEqual([]);
  });

  it("has plug-ins that came, as soon as the registry knows them", async () => {
    place.setGenerators({ generators: [...GENERATORS, PLUGIN], rejected: [] });
    uris();
    await place.provider.whenListed();
    expect(uris()).toEqual([...GENERATOR_URIS, "generator://mine"]);
    expect(place.provider.more.has("generator://mine")).toBe(true);
    expect((await place.provider.there()).generators).toContain("mine");
  });

  it("stays what it was where a part cannot be looked at, which is reported", async () => {
    const bug = new Error("disk");
    const fail = (): Promise<never> => Promise.reject(bug);
    const parts = { ...place.parts, saved: { find: fail, ids: fail, list: fail } };
    await place.store("intro", "one");
    const broken = openPlace({ parts });
    await broken.provider.whenListed();
    broken.provider.changed("config://content/intro");
    await broken.provider.whenListed();
    expect(broken.bugs).toEqual([bug, bug, bug]);
    expect(broken.provider.more.has("content://intro")).toBe(true);
  });
});
