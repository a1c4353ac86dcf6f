import { expect, it } from "vitest";
import { openBench, OWNER, provider } from "./sheets-for-tests.ts";

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

it.each(['"pixar"', '{"a":"pixar"}', "null"])("takes %s for no such words", (aliases) => {
  expect(search("pixar", `{"name":"import","_meta":{"dcc":{"searchAliases":${aliases}}}}`)).toEqual([]);
});
