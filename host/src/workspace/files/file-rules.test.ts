import { describe, expect, it } from "vitest";
import { newFile, openStore, refusalOf } from "./files-for-tests.ts";
import { changeTags, labelOf } from "./file-rules.ts";

const name = (filename: string) => labelOf(newFile(filename)).filename;

describe("a filename", () => {
  it.each(["a", "x".repeat(255), "😀".repeat(255), ".env", "...", "a b.txt", "Ünï.md", "CON", "-rf"])(
    "may be %.30j",
    (filename) => {
      expect(name(filename)).toBe(filename);
    },
  );

  it.each([
    ["", "empty"],
    [" ", "empty"],
    [".", "must not be"],
    ["..", "must not be"],
    ["a/b", "without /"],
    ["/etc/passwd", "without /"],
    ["..\\x", "without /"],
    ["a\0.txt", "control"],
    ["a\nb", "control"],
    ["a\u0085b", "control"],
    ["a\u2028b", "control"],
    ["a\ud800", "surrogate"],
    ["x".repeat(256), "255"],
    ["😀".repeat(256), "255"],
    ["x".repeat(1_000_000), "255"],
  ])("may not be %.30j", async (filename, why) => {
    const no = await refusalOf(() => openStore().create(newFile(filename, "x")));
    expect([no.kind, no.details["path"]]).toEqual(["invalid_input", "/filename"]);
    expect(no.message).toContain(why);
    expect(no.next).toContain("/filename");
  });
});

describe("the type of a file", () => {
  it.each([
    ["a.txt", "image/png", "image/png"],
    ["a.txt", "Text/Plain; charset=utf-8", "Text/Plain; charset=utf-8"],
    ["a.md", undefined, "text/markdown"],
    ["a.MD", "", "text/markdown"],
    ["a.json", "application/octet-stream", "application/json"],
    ["a.yml", "Application/Octet-Stream; x=y", "application/yaml"],
    ["a.csv", " ", "text/csv"],
    ["a.tar.svg", undefined, "image/svg+xml"],
    ["a.png", undefined, "application/octet-stream"],
    ["a.pdf", "application/octet-stream", "application/octet-stream"],
    ["txt", undefined, "application/octet-stream"],
    ["a.", undefined, "application/octet-stream"],
    ["a.constructor", undefined, "application/octet-stream"],
  ])("of %j given as %j is %j", (filename, mimeType, expected) => {
    expect(labelOf(newFile(filename, "", mimeType === undefined ? {} : { mimeType })).mimeType).toBe(expected);
  });

  it.each(["text", "text/", "/plain", "text/plain\r\nx: y", "text/plain; a\0", "a b/c", `text/${"x".repeat(200)}`])(
    "may not be %.30j",
    (mimeType) => {
      expect(() => labelOf(newFile("a.txt", "", { mimeType }))).toThrow(/\/mimeType must be a media type/);
    },
  );
});

describe("tags and description", () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `t${at}`);

  it("may be 32 of 64 characters, each counted once", () => {
    expect(labelOf(newFile("a", "", { tags: [...many(32), "t0", "t1"] })).tags).toEqual(many(32));
    expect(labelOf(newFile("a", "", { tags: ["x".repeat(64)] })).tags).toHaveLength(1);
  });

  it.each([
    [many(33), "at most 32"],
    [["x".repeat(65)], "at most 64 characters"],
    [[""], "empty"],
    [["a\tb"], "control"],
    [["\udc00"], "surrogate"],
  ])("may not be %.60j", (tags, why) => {
    expect(() => labelOf(newFile("a", "", { tags }))).toThrow(why);
    expect(() => changeTags([], { add: tags, remove: [] })).toThrow(why);
  });

  it("change as asked: what stays keeps its place", () => {
    expect(changeTags(["a", "b", "c"], { add: ["d", "a"], remove: ["b", "x"] })).toEqual(["a", "c", "d"]);
    expect(changeTags(many(32), { add: ["new"], remove: ["t0"] })).toHaveLength(32);
    expect(() => changeTags(many(32), { add: ["new"], remove: [] })).toThrow(/at most 32/);
    expect(() => changeTags(["a"], { add: ["b"], remove: ["b"] })).toThrow(/both have "b"/);
  });

  it("of a description hold lines and nothing that is invisible", () => {
    expect(labelOf(newFile("a", "", { description: "one\n\ttwo" })).description).toBe("one\n\ttwo");
    expect(labelOf(newFile("a", "", { description: "" })).description).toBeNull();
    for (const description of ["a\0b", "a\u009fb", "\ud800", "x".repeat(2_001)])
      expect(() => labelOf(newFile("a", "", { description }))).toThrow("/description");
  });

  it("are the only thing about a file that changes", async () => {
    const store = openStore();
    const file = await store.create(newFile("a.txt", "a", { tags: ["a"] }));
    const changed = { ...file, tags: ["a", "b"] };
    expect(await store.tag(file.id, { add: ["b"], remove: [] })).toEqual(changed);
    expect(await store.tag(file.id, { add: ["b"], remove: [] })).toEqual(changed);
    expect(store.info(file.id)).toEqual(changed);
    const no = await refusalOf(() => store.tag(file.id, { add: many(33), remove: [] }));
    expect(no.kind).toBe("invalid_input");
    expect(store.info(file.id)).toEqual(changed);
    expect(await store.tag(file.id, { add: [], remove: ["a", "b"] })).toEqual({ ...file, tags: [] });
    expect(store.all({ tags: ["a"] })).toEqual([]);
  });
});
