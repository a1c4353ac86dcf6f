/** Tools come from anywhere: what they say of themselves may be long, odd or meant to harm. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createToolIndex, type ToolIndex } from "./create-tool-index.ts";
import { LONGEST_TEXT, toolWords } from "./tool-words.ts";

const MEGABYTE = 1_000_000;

const putOne = (index: ToolIndex, provider: string, description: string): void =>
  index.put(provider, [{ name: `${provider}__tool`, title: null, description, aliases: [], properties: [] }]);

const distinctWords = (count: number): string =>
  Array.from({ length: count }, (_, each) => `w${each.toString(36)}`).join(" ");

describe("a tool with too much to say", () => {
  it("is found by the beginning of its description only, and hides nobody else", () => {
    const index = createToolIndex();
    putOne(index, "good", "Finds zebras");
    putOne(index, "loud", `lion ${"x".repeat(MEGABYTE)} zebra`);
    expect(index.search("zebra", { limit: 5 }).hits.map(({ provider }) => provider)).toEqual(["good"]);
    expect(index.search("lion", { limit: 5 }).hits.map(({ provider }) => provider)).toEqual(["loud"]);
  });

  it("has a limited number of words, however many fields it fills", () => {
    const many = Array.from({ length: 5_000 }, (_, each) => `p${each}Q${each} ${distinctWords(50)}`);
    const description = distinctWords(100_000);
    const name = `a__${"long_name_".repeat(10_000)}`;
    const words = toolWords("a", { name, title: description, description, aliases: many, properties: many });
    expect(words.size).toBeLessThanOrEqual(400);
    for (const [word, weight] of words) {
      expect(word.length).toBeLessThanOrEqual(40);
      expect(weight).toBeGreaterThan(0);
      expect(weight).toBeLessThan(1024);
    }
  });

  it("gains nothing by saying a word a thousand times", () => {
    const index = createToolIndex();
    putOne(index, "honest", "Sends mail");
    putOne(index, "stuffed", "mail ".repeat(1_000));
    putOne(index, "third", "Reads");
    const [first, second] = index.search("mail", { limit: 2 }).hits;
    expect(first?.weight).toBe(second?.weight);
    expect(first?.provider).toBe("honest");
  });
});

it("a provider with words without end keeps a limited number of them, and is gone when it is removed", () => {
  const index = createToolIndex();
  putOne(index, "good", "Finds zebras");
  const wordOf = (each: number): string => `${each.toString(36)}x${each.toString(36)}`;
  const tools = Array.from({ length: 1_000 }, (_, each) => ({
    name: `loud__t${each}`,
    title: null,
    description: null,
    aliases: Array.from({ length: 60 }, (__, word) => wordOf(each * 60 + word)),
    properties: [],
  }));
  index.put("loud", tools);
  const isFound = (each: number): boolean =>
    index.search(wordOf(each * 60), { limit: Infinity }).hits.some(({ name }) => name === `loud__t${each}`);
  expect(isFound(10)).toBe(true);
  expect(isFound(999)).toBe(false);
  expect(index.search("zebra", { limit: 1 }).hits[0]?.provider).toBe("good");
  index.remove("loud");
  expect(isFound(10)).toBe(false);
  expect(index.search("zebra", { limit: 1 }).total).toBe(1);
});

it("of a provider with text without end, tools are found by their names to the last", () => {
  const index = createToolIndex();
  const description = `zebra ${"-".repeat(LONGEST_TEXT)}`;
  const names = Array.from({ length: 5_000 }, (_, each) => `loud__tool_${each}`);
  index.put(
    "loud",
    names.map((name) => ({ name, title: null, description, aliases: [], properties: [] })),
  );
  expect(index.search("zebra", { limit: 0 }).total).toBe(4_000);
  expect(index.search("tool 4999", { limit: 1 }).hits[0]?.name).toBe("loud__tool_4999");
  expect(index.search("tool", { limit: 0 }).total).toBe(5_000);
});

describe("odd text", () => {
  it.each([
    ["half of a character", "\u{d800}\u{dc00}".slice(0, 1).repeat(3_000)],
    ["marks without letters", "\u{301}".repeat(MEGABYTE)],
    ["one letter that becomes many", "\u{fdfa}".repeat(MEGABYTE)],
    ["letters that grow in lower case", "\u{130}".repeat(MEGABYTE)],
    ["directions and zeros", "\u{202e}\0\u{feff}".repeat(100_000)],
    ["names of the language", "__proto__ constructor toString hasOwnProperty"],
    ["humps", "aB".repeat(MEGABYTE)],
    ["capitals", "A".repeat(MEGABYTE)],
    ["what is almost a name of a file", "a.tx".repeat(MEGABYTE)],
  ])("of %s is indexed, asked for and removed", (_, odd) => {
    const index = createToolIndex();
    putOne(index, "good", "Finds zebras");
    index.put("odd", [{ name: `odd__${odd}`, title: odd, description: odd, aliases: [odd], properties: [odd] }]);
    index.search(odd, { limit: 5 });
    expect(index.search(`zebra ${odd}`, { limit: 5 }).hits.map(({ provider }) => provider)).toContain("good");
    index.remove("odd");
    expect(index.search(`zebra ${odd}`, { limit: 5 }).total).toBe(1);
  });

  it("of any kind does not stop it from being found by the words that it has", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (odd) => {
        const index = createToolIndex();
        putOne(index, "odd", `zebra ${odd}`);
        expect(index.search("zebra", { limit: 1 }).total).toBe(1);
        expect(index.search(odd, { limit: 1 }).total).toBeLessThanOrEqual(1);
      }),
    );
  });
});

it("no more of a description is kept than is read", () => {
  const index = createToolIndex();
  putOne(index, "a", `zebra ${"-".repeat(LONGEST_TEXT)} lion`);
  putOne(index, "b", `zebra ${"-".repeat(LONGEST_TEXT)}`);
  // By the plain order the first would cover more; neither has the second word within what is read.
  expect(index.search("zebra lion", { limit: 2 }).hits.map(({ covered }) => covered)).toEqual([1, 1]);
});
