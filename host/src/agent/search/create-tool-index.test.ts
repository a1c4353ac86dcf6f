import { describe, expect, it } from "vitest";
import { createToolIndex, type SearchOptions, type ToolIndex } from "./create-tool-index.ts";
import type { ToolEntry } from "./tool-words.ts";

const tool = (name: string, more: Partial<ToolEntry> | string = {}): ToolEntry => ({
  name,
  title: null,
  description: typeof more === "string" ? more : null,
  aliases: [],
  properties: [],
  ...(typeof more === "string" ? {} : more),
});

const indexOf = (...tools: ToolEntry[]): ToolIndex => {
  const index = createToolIndex();
  for (const [provider, of] of Map.groupBy(tools, ({ name }) => name.slice(0, name.indexOf("__"))))
    index.put(provider, of);
  return index;
};

const names = (index: ToolIndex, query: string, options: SearchOptions = { limit: 10 }): string[] =>
  index.search(query, options).hits.map(({ name }) => name);

describe("a search", () => {
  const index = indexOf(
    tool("mail__send", "Sends a letter to somebody"),
    tool("mail__read", "Shows one letter"),
    tool("disk__getFileInfo", { title: "About a file", properties: ["followLinks"] }),
    tool("disk__create_directory", { description: "Makes a directory", aliases: ["mkdir", "neue Mappe"] }),
    tool("math__sequentialthinking"),
    tool("café__menü", "Größe 価格"),
  );

  it.each([
    ["the words of the name", "create directory", "disk__create_directory"],
    ["the plural", "directories", "disk__create_directory"],
    ["a plural s", "letters sent", "mail__send"],
    ["the beginning of a word", "direc", "disk__create_directory"],
    ["a part of a word", "thinking", "math__sequentialthinking"],
    ["two letters that changed places", "direcotry", "disk__create_directory"],
    ["a letter too many", "dirrectory", "disk__create_directory"],
    ["a letter too few", "direcory", "disk__create_directory"],
    ["another letter", "direktory", "disk__create_directory"],
    ["a part of a name in one word", "file info", "disk__getFileInfo"],
    ["the name in one word", "createdirectory", "disk__create_directory"],
    ["a title", "about", "disk__getFileInfo"],
    ["an alias", "Mappe", "disk__create_directory"],
    ["a property", "follow", "disk__getFileInfo"],
    ["the provider", "math", "math__sequentialthinking"],
    ["a related word", "folder", "disk__create_directory"],
    ["another form", "creating", "disk__create_directory"],
    ["upper case", "SEND", "mail__send"],
    ["no accents", "menu", "café__menü"],
    ["accents", "gröſse", "café__menü"],
    ["an ideograph", "格", "café__menü"],
  ])("finds a tool by %s", (_, query, expected) => expect(names(index, query)[0]).toBe(expected));

  it.each(["", "   ", "__", "?!", "\u{d800}", "xyzzy", "q"])("finds nothing for %j", (query) =>
    expect(index.search(query, { limit: 10 })).toEqual({ hits: [], total: 0 }),
  );

  it("takes words that say nothing for what they are, unless there are no others", () => {
    const odd = indexOf(tool("a__what", "is it"), tool("b__weather", "The sky"));
    expect(names(odd, "what is the weather")).toEqual(["b__weather"]);
    expect(names(odd, "what is it")).toEqual(["a__what"]);
  });

  it("takes the name of a file for a file", () => {
    const files = indexOf(tool("disk__read_file"), tool("notes__notes"));
    expect(names(files, "read notes.txt")[0]).toBe("disk__read_file");
    expect(names(files, "notes")[0]).toBe("notes__notes");
  });

  it("does not look for typos of what is a word", () => {
    const near = indexOf(tool("a__form"), tool("a__from_to"), tool("a__farm"));
    expect(names(near, "farm")).toEqual(["a__farm"]);
  });
});

describe("the order of what is found", () => {
  it("has tools first that answer more of the query", () => {
    const index = indexOf(tool("a__invoice"), tool("b__other", "Pays an invoice in euro"), tool("c__euro"));
    expect(names(index, "invoice euro")).toEqual(["b__other", "a__invoice", "c__euro"]);
  });

  it("then goes by the field: name, title or alias, description, property or provider", () => {
    const index = indexOf(
      tool("a__one", { properties: ["zebra"] }),
      tool("b__two", "A zebra"),
      tool("c__three", { aliases: ["zebra"] }),
      tool("d__four", { title: "Zebra" }),
      tool("e__zebra"),
      tool("zebra__five"),
    );
    expect(names(index, "zebra")).toEqual(["e__zebra", "c__three", "d__four", "b__two", "zebra__five", "a__one"]);
  });

  it("has the word itself before its other forms, longer words, and typos", () => {
    const index = indexOf(tool("a__searchable"), tool("b__searching"), tool("c__search"), tool("d__find"));
    expect(names(index, "search")).toEqual(["c__search", "b__searching", "d__find", "a__searchable"]);
    expect(names(indexOf(tool("a__sendx"), tool("b__senda")), "sendb")).toEqual(["a__sendx", "b__senda"]);
  });

  it("has a rare word before a common one", () => {
    const index = indexOf(
      tool("a__get_zebra"),
      tool("a__get_heron"),
      ...Array.from({ length: 9 }, (_, each) => tool(`b__get_${each}`)),
    );
    expect(names(index, "heron get apple", { limit: 1 })).toEqual(["a__get_heron"]);
    expect(names(indexOf(tool("a__get"), tool("b__get"), tool("c__zebra")), "zebra get")).toEqual([
      "c__zebra",
      "a__get",
      "b__get",
    ]);
  });

  it("goes by the plain order among equals: the whole query, then the name", () => {
    const index = indexOf(tool("a__one", "blue green"), tool("b__two", "green blue"), tool("c__three", "green blue"));
    expect(names(index, "green blue")).toEqual(["b__two", "c__three", "a__one"]);
  });
});

it("among equals, more terms in plain text come before a higher score", () => {
  const index = indexOf(
    tool("a__this", { aliases: ["zebra"], description: "list" }),
    tool("b__one", { aliases: ["zebra"], description: "as is; it" }),
  );
  const { hits } = index.search("is it zebra", { limit: 2 });
  expect(hits[0]).toMatchObject({ name: "b__one", covered: 1, weight: hits[1]?.weight });
});

describe("the index", () => {
  it("knows of a provider what it was told last, and nothing of others changes", () => {
    const index = indexOf(tool("a__alpha"), tool("b__alpha"));
    index.put("a", [tool("a__omega")]);
    expect(names(index, "alpha")).toEqual(["b__alpha"]);
    expect(names(index, "omega")).toEqual(["a__omega"]);
    index.put("b", []);
    expect(names(index, "alpha")).toEqual([]);
    index.remove("a");
    index.remove("a");
    index.remove("never");
    expect(index.search("alpha omega", { limit: 10 }).total).toBe(0);
  });

  it("shows as many as asked for and counts all that the filter lets pass", () => {
    const index = indexOf(...Array.from({ length: 30 }, (_, each) => tool(`p${each % 3}__file_${each}`)));
    expect(index.search("file", { limit: 4 })).toMatchObject({ hits: { length: 4 }, total: 30 });
    expect(index.search("file", { limit: 0 })).toEqual({ hits: [], total: 30 });
    const filter = ({ provider }: { provider: string }): boolean => provider === "p1";
    const found = index.search("file", { limit: 99, filter });
    expect(found.total).toBe(10);
    expect(found.hits.every(({ provider }) => provider === "p1")).toBe(true);
  });

  it("is as before after a filter that failed", () => {
    const index = indexOf(tool("a__alpha"));
    const filter = (): boolean => {
      throw new Error("no");
    };
    const before = index.search("alpha", { limit: 1 });
    expect(() => index.search("alpha", { limit: 1, filter })).toThrow("no");
    expect(index.search("alpha", { limit: 1 })).toEqual(before);
  });

  it("keeps the first of two tools of one name", () => {
    const index = createToolIndex();
    index.put("a", [tool("a__same", "first"), tool("a__same", "second")]);
    expect(index.search("same", { limit: 5 }).total).toBe(1);
    expect(names(index, "second")).toEqual([]);
  });
});
