import { describe, expect, it } from "vitest";
import type { FileStore } from "../../kernel/files.ts";
import { names, newFile, openStore, QUERY } from "./files-for-tests.ts";

const filled = async (): Promise<FileStore> => {
  const store = openStore();
  await store.create(newFile("b.txt", "22", { tags: ["x", "y"] }));
  await store.create(newFile("A.csv", "4444", { tags: ["x"] }));
  await store.create(newFile("c.json", "1", { tags: ["y", "z"] }));
  await store.create(newFile("d.dat", "333", { mimeType: "Text/Plain; charset=UTF-8", tags: ["Xx"] }));
  await store.create(newFile("e.dat", "55555", { mimeType: "text/plain-not" }));
  return store;
};
const ordered = (store: FileStore): string[] =>
  store
    .all({})
    .toSorted((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1))
    .map(({ filename }) => filename);

describe("a list of files", () => {
  it("is sorted by name, size or age, both ways, ties by id", async () => {
    const store = await filled();
    const sorted = (sort: "filename" | "size" | "createdAt", order: "asc" | "desc") =>
      names(store.list({ ...QUERY, sort, order }).files);
    expect(sorted("filename", "asc")).toEqual(["A.csv", "b.txt", "c.json", "d.dat", "e.dat"]);
    expect(sorted("filename", "desc")).toEqual(["e.dat", "d.dat", "c.json", "b.txt", "A.csv"]);
    expect(sorted("size", "asc")).toEqual(["c.json", "b.txt", "d.dat", "A.csv", "e.dat"]);
    expect(sorted("size", "desc")).toEqual(["e.dat", "A.csv", "d.dat", "b.txt", "c.json"]);
    expect(sorted("createdAt", "asc")).toEqual(ordered(store));
    expect(sorted("createdAt", "desc")).toEqual(ordered(store).toReversed());
    expect(names(store.all({}))).toEqual(ordered(store));
  });

  it("has pages that miss and repeat nothing, though all sort alike", async () => {
    const store = openStore();
    await Promise.all(Array.from({ length: 23 }, () => store.create(newFile("same.txt", "same"))));
    for (const sort of ["filename", "size", "createdAt"] as const) {
      const pages = [0, 10, 20, 30].map((offset) => store.list({ ...QUERY, sort, limit: 10, offset }));
      expect(pages.map(({ files, total }) => [files.length, total])).toEqual([
        [10, 23],
        [10, 23],
        [3, 23],
        [0, 23],
      ]);
      expect(new Set(pages.flatMap(({ files }) => files.map(({ id }) => id))).size).toBe(23);
    }
  });

  it.each([
    [["x"], ["A.csv", "b.txt"]],
    [["x", "y"], ["b.txt"]],
    [["y", "x", "y"], ["b.txt"]],
    [["x", "z"], []],
    [["X"], []],
    [["Xx"], ["d.dat"]],
    [[], ["A.csv", "b.txt", "c.json", "d.dat", "e.dat"]],
    [["' OR 1=1 --"], []],
    [Array.from({ length: 5_000 }, (_, at) => `t${at}`), []],
  ])("by the tags %.40j has those that have them all", async (tags, expected) => {
    const store = await filled();
    const page = store.list({ ...QUERY, sort: "filename", tags });
    expect(names(page.files)).toEqual(expected);
    expect(page.total).toBe(expected.length);
    expect(names(store.all({ tags })).toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    ["text/", ["A.csv", "b.txt", "d.dat", "e.dat"]],
    ["TEXT/pl", ["b.txt", "d.dat", "e.dat"]],
    ["text/plain; c", ["d.dat"]],
    ["application/json", ["c.json"]],
    ["%", []],
    ["", ["A.csv", "b.txt", "c.json", "d.dat", "e.dat"]],
  ])("by the beginning %j of the type has those that begin so", async (mimePrefix, expected) => {
    const page = (await filled()).list({ ...QUERY, sort: "filename", mimePrefix });
    expect(names(page.files)).toEqual(expected);
    expect(page.total).toBe(expected.length);
  });

  it.each([
    ["text/plain", ["b.txt", "d.dat"]],
    ["text/", []],
    ["application/json", ["c.json"]],
    ["image/png", []],
    ["", []],
  ])("of everything by the bare type %j has exactly those", async (mimeType, expected) => {
    expect(names((await filled()).all({ mimeType })).toSorted()).toEqual(expected);
  });

  it("combines its filters and counts what the page leaves out", async () => {
    const store = await filled();
    const page = store.list({ ...QUERY, limit: 1, sort: "filename", tags: ["x"], mimePrefix: "text/" });
    expect(names(page.files)).toEqual(["A.csv"]);
    expect(page.total).toBe(2);
  });
});
