import { describe, expect, it } from "vitest";
import { listedFamilies, type ListedUri } from "./listed-families.ts";
import { templateMatches, templateParameters } from "./uri-patterns.ts";

const listed = (uri: string, more: Partial<ListedUri> = {}): ListedUri => ({
  provider: "notes",
  uri,
  isTemplate: uri.includes("{"),
  mimeType: "text/plain",
  readable: true,
  ...more,
});

const familiesOf = (uris: readonly ListedUri[], taken: readonly string[] = []) =>
  Object.fromEntries(listedFamilies(uris, new Set(taken)).map(({ name, ...family }) => [name, family]));

describe("resource families of other providers", () => {
  it("are one for each scheme, with patterns, parameters and examples that fit", () => {
    const families = familiesOf([
      listed("note://{id}"),
      listed("NOTE://one"),
      listed("note://one"),
      listed("note://a/b"),
      listed("ui://maps/page", { provider: "maps", mimeType: "text/html" }),
    ]);
    expect(families).toEqual({
      note: {
        patterns: ["note://{id}", "NOTE://one", "note://a/b"],
        mimeType: "text/plain",
        description: "Resources of notes. resources/list and resources/templates/list have them one by one.",
        parameters: { id: { type: "string", description: "The id of a resource." } },
        examples: ["NOTE://one", "note://one", "note://a/b"],
      },
      ui: expect.objectContaining({ patterns: ["ui://maps/page"], mimeType: "text/html" }),
    });
  });

  it("never take the name of one that the host has", () => {
    const families = familiesOf([listed("config://mine"), listed("Config://mine", { provider: "b" })], ["config"]);
    expect(Object.keys(families)).toEqual(["config@notes", "config@b"]);
  });

  it("have no example of what cannot be read, and none of what has no scheme", () => {
    expect(familiesOf([listed("note://one", { readable: false })])["note"]?.examples).toEqual([]);
    expect(familiesOf([listed("no scheme"), listed("{x}://y")])).toEqual({});
  });

  it("stay small whatever a bundle lists", () => {
    const many = Array.from({ length: 20_000 }, (_, at) => listed(`note://${at}`));
    const { note } = familiesOf(many);
    expect([note?.patterns.length, note?.examples.length]).toEqual([50, 3]);
  });

  it("say that types differ where they do", () => {
    expect(familiesOf([listed("a://1"), listed("a://2", { mimeType: null })])["a"]?.mimeType).toBe("*/*");
  });
});

describe("a URI pattern", () => {
  it.each([
    ["content://{id}", "content://intro", true],
    ["content://{id}", "content://intro/2", false],
    ["content://{id}", "content://", false],
    ["content://{id}/{v}", "content://intro/2", true],
    ["content://{id}", "config://intro", false],
    ["file:///{+path}", "file:///a/b", true],
    ["a://b", "a://b", true],
    ["a://*", "a://b", false],
  ])("%s and %s: %s", (pattern, uri, fits) => {
    expect(templateMatches(pattern, uri)).toBe(fits);
  });

  it("names its parameters without what stands around them", () => {
    expect(templateParameters("a://{x}/{+y}{?p,q*}{z:3}{}")).toEqual(["x", "y", "p", "q", "z"]);
  });
});
