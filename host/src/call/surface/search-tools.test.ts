import { expect, it } from "vitest";
import { EMPTY_CATALOGUE } from "../../kernel/provider.ts";
import { searchAliases } from "./search-aliases.ts";
import { entry, openBench, OWNER, provider } from "./sheets-for-tests.ts";

const search = (query: string, ...tools: string[]): string[] => {
  const bench = openBench();
  bench.registry.add(provider("p", { tools }));
  return bench.sheets
    .of(OWNER, null)!
    .rows(query)
    .map(({ name }) => name);
};

it("finds a tool by the words that it wants to be found by", () => {
  const stage = '{"name":"import","_meta":{"dcc":{"searchAliases":["universal scene","pixar",7]}}}';
  expect(search("pixar", '{"name":"export"}', stage)).toEqual(["p__import"]);
  expect(search("7", stage)).toEqual([]);
});

it("finds a tool of a skill package by what it is for", () => {
  const carried = { intent: "bring a stage in", tool_role: "importer", produces: ["layer"], requires: "licence" };
  const bench = openBench();
  const tools = [{ ...entry('{"name":"import"}'), name: "import", definition: "sha256:0", carried }];
  bench.registry.add({ ...provider("p", {}), catalogue: () => ({ ...EMPTY_CATALOGUE, tools }) });
  const found = (query: string) => bench.sheets.of(OWNER, null)?.rows(query).length;
  expect(["bring", "importer", "layers", "licence"].map(found)).toEqual([1, 1, 1, 0]);
  expect(searchAliases({ value: {}, carried })).toBe("bring a stage in importer layer");
  expect(searchAliases({ value: {}, carried: { produces: "a layer", intent: 7, tool_role: null } })).toBe("a layer");
});

it("finds no tool of a server by what it says in the name of the host", () => {
  const forged = `{"name":"import","_meta":{"dev.bailiwick/package":{"intent":"pixar"},"dcc":{"intent":"pixar"}}}`;
  expect(search("pixar", forged)).toEqual([]);
});

it.each(['"pixar"', '{"a":"pixar"}', "null"])("takes %s for no such words", (aliases) => {
  expect(search("pixar", `{"name":"import","_meta":{"dcc":{"searchAliases":${aliases}}}}`)).toEqual([]);
});
