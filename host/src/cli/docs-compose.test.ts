/** The page is followed from top to bottom, and what it says of limits, tools and rules is what the host says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.ts";
import { createPageReader, readBlocks, ROOT, STEP_MS, type PageReader } from "./docs-page-for-tests.ts";

const BLOCKS = readBlocks("compose.md");
const PAGE = readFileSync(join(ROOT, "docs", "compose.md"), "utf8");

let reader: PageReader;
beforeAll(() => {
  reader = createPageReader();
});
afterAll(() => reader.close());

describe("docs/compose.md", () => {
  it.each(BLOCKS)(
    "works at line $line ($kind $file)",
    async (block) => expect(await reader.follow(block)).toEqual([]),
    STEP_MS,
  );

  it("has a configuration without errors and warnings", () => {
    const { text = "" } = BLOCKS.find(({ file }) => file === "bailiwick.json") ?? {};
    const { errors, warnings } = parseConfig(text, { dialect: "bailiwick" });
    expect([...errors, ...warnings]).toEqual([]);
  });

  it("runs both commands about generators, and names only commands that there are", () => {
    const ran = BLOCKS.filter(({ kind }) => kind === "run").map(({ text }) => text);
    const commands = new Set(COMMANDS.map(({ name }) => name));
    for (const name of ["generator list", "generator test"]) {
      expect(ran.join("\n")).toContain(`bailiwick ${name}`);
      expect(commands).toContain(name);
    }
    const named = [...PAGE.matchAll(/\bbailiwick ([a-z]+)(?: ([a-z][a-z-]+))?/g)].map(([, first = "", second = ""]) =>
      commands.has(first) ? first : `${first} ${second}`,
    );
    expect(named.filter((name) => !commands.has(name))).toEqual([]);
  });
});
