import { beforeEach, describe, expect, it } from "vitest";
import { GENERATORS } from "../documents/documents-for-tests.ts";
import { openPlace, type Place } from "./provider-for-tests.ts";

const PLUGIN = {
  ...GENERATORS[0]!,
  entry: { ...GENERATORS[0]!.entry, type: "mine", source: "plugin", plugin_path: "mine.generator.mjs" },
} as const;

let place: Place;
beforeEach(async () => {
  place = openPlace();
  await place.provider.whenListed();
});

const change = (uri: string): Promise<void> => {
  place.provider.changed(uri);
  return place.provider.whenListed();
};

describe("who watches", () => {
  const watch = (uri: string, heard: string[]) => {
    const end = place.provider.watch(uri, () => heard.push(uri));
    if (end === false) throw new Error(`${uri} cannot be watched`);
    return end;
  };

  it("a text, its versions or all contents hears of a change of the text", async () => {
    const { version_id } = await place.store("intro", "one");
    await change("content://intro");
    const heard: string[] = [];
    const all = ["content://intro", "content://intro/versions", "content://"];
    for (const uri of [...all, `content://intro/${version_id}`, "content://outro", "config://content/intro"])
      watch(uri, heard);
    await place.store("intro", "two");
    await change("content://intro");
    expect(heard).toEqual(all);
  });

  it("a version hears when it is gone", async () => {
    const { version_id } = await place.store("intro", "one");
    await change("content://intro");
    const heard: string[] = [];
    const uri = `content://intro/${version_id}`;
    for (const each of [uri, "content://intro"]) watch(each, heard);
    await place.versions.remove("intro", { keepMeta: false });
    await change("content://intro");
    expect(heard).toEqual(["content://intro", uri]);
  });

  it("a text hears of a change that nobody told of", async () => {
    await place.store("intro", "one");
    const heard: string[] = [];
    watch("content://intro", heard);
    place.pass(10_000);
    await place.provider.whenListed();
    expect(heard).toEqual(["content://intro"]);
  });

  it("a text hears of a change of one version", async () => {
    const heard: string[] = [];
    for (const uri of ["content://intro/2026-01-01T00:00:00.000Z", "content://intro"]) watch(uri, heard);
    await change("content://intro/2026-01-01T00:00:00.000Z");
    expect(heard).toEqual(["content://intro/2026-01-01T00:00:00.000Z", "content://intro"]);
  });

  it("a config hears of a change, also of one that was made by hand", async () => {
    const heard: string[] = [];
    for (const uri of ["config://content/intro", "config://content/", "config://artifact/"]) watch(uri, heard);
    place.save("content", "intro", "{}");
    await change("config://content/intro");
    expect(heard).toEqual(["config://content/intro", "config://content/"]);
    place.save("content", "intro", '{"by":"hand"}');
    place.pass(10_000);
    await place.provider.whenListed();
    expect(heard).toEqual([
      "config://content/intro",
      "config://content/",
      "config://content/intro",
      "config://content/",
    ]);
  });

  it("from the start hears nothing of what was there before", async () => {
    place.save("content", "intro", "{}");
    const again = openPlace({ parts: place.parts });
    const heard: string[] = [];
    for (const uri of ["config://content/intro", "generator://jinja2"])
      again.provider.watch(uri, () => heard.push(uri));
    await again.provider.whenListed();
    expect(again.provider.more.has("config://content/intro")).toBe(true);
    expect(heard).toEqual([]);
  });

  it("may begin another watch while it is told", async () => {
    let heard = 0;
    const again = (): void => {
      if (++heard < 10) place.provider.watch("content://intro", again);
    };
    again();
    await change("content://intro");
    expect(heard).toBe(2);
  });

  it("generators hears of plug-ins that come, change and go", async () => {
    const heard: string[] = [];
    for (const uri of ["generator://mine", "generator://jinja2", "generator://"]) watch(uri, heard);
    for (const generators of [
      [...GENERATORS, PLUGIN],
      [...GENERATORS, { ...PLUGIN, availability: { status: "unavailable" } as const }],
      GENERATORS,
    ]) {
      heard.length = 0;
      place.setGenerators({ generators, rejected: [] });
      await change("capabilities://generators");
      expect(heard).toEqual(["generator://mine", "generator://"]);
    }
  });

  it("hears nothing after it ended, and under any way to write the URI before", async () => {
    const heard: string[] = [];
    const end = watch("CONTENT://intro/", heard);
    await change("content://intro");
    end();
    await change("content://intro");
    expect(heard).toEqual(["CONTENT://intro/"]);
  });

  it.each([
    "schema://content",
    "schema://",
    "content://..",
    "content://intro/nonsense",
    "config://",
    "nonsense",
    "capabilities://nothing",
  ])("%s is told that nobody can say", (uri) => {
    expect(place.provider.watch(uri, () => {})).toBe(false);
  });
});
