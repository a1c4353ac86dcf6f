/** How well questions are answered that people might ask, over tool lists that servers from npm give out. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createToolIndex } from "./create-tool-index.ts";

interface Question {
  readonly query: string;
  readonly tool: string;
}

const readData = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../../../../bench/data/${name}.json`, import.meta.url), "utf8"));

const build = () => {
  const index = createToolIndex();
  for (const { package: from, tools } of readData("tool-lists")) {
    const provider = from.split("/")[1];
    const entries = tools.map(({ name, title = null, description = null, inputSchema }: any) => ({
      name: `${provider}__${name}`,
      title,
      description,
      aliases: [],
      properties: Object.keys(inputSchema.properties ?? {}),
    }));
    index.put(provider, entries);
  }
  return index;
};

it.each(["tuned", "unseen"])("of nine in ten %s questions the right tool is among the first five", (group) => {
  const index = build();
  const questions: Question[] = readData("tool-queries")[group];
  const missed = questions.filter(
    ({ query, tool }) => !index.search(query, { limit: 5 }).hits.some(({ name }) => name === tool),
  );
  expect(questions.length).toBeGreaterThan(50);
  expect(missed.length).toBeLessThanOrEqual(questions.length / 10);
});
