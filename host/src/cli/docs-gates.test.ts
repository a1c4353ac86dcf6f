import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.ts";
import { createPageReader, readBlocks, ROOT, STEP_MS } from "./docs-page-for-tests.ts";

const BLOCKS = readBlocks("gates.md");
const PAGE = readFileSync(join(ROOT, "docs", "gates.md"), "utf8");
const reader = createPageReader();
afterAll(() => reader.close());

const AGENTS: ReadonlySet<string> = new Set(["skill match", "skill check"]);

describe("docs/gates.md", () => {
  it.each(BLOCKS)(
    "works at line $line ($kind $file)",
    async (block) => expect(await reader.follow(block)).toEqual([]),
    STEP_MS,
  );

  it("has configurations without errors and warnings", () => {
    const files = BLOCKS.filter(({ file }) => file === "bailiwick.json");
    expect(files).toHaveLength(2);
    for (const { text } of files) {
      const { errors, warnings } = parseConfig(text, { dialect: "bailiwick" });
      expect([...errors, ...warnings]).toEqual([]);
    }
  });

  it("runs every command about capabilities, skills and roots", () => {
    const ran = BLOCKS.filter(({ kind }) => kind === "run")
      .map(({ text }) => text)
      .join("\n");
    const named = COMMANDS.map(({ name }) => name).filter((name) => /^(capabilities|skill|roots) /.test(name));
    // What is about the agent's use of skills is in docs/agent.md.
    const [gates, ofAgent] = [named.filter((name) => !AGENTS.has(name)), named.filter((name) => AGENTS.has(name))];
    expect([gates.length, ofAgent.length]).toEqual([8, 2]);
    expect(gates.filter((name) => !ran.includes(`bailiwick ${name}`))).toEqual([]);
  });

  it("names only commands that there are", () => {
    const commands = new Set(COMMANDS.map(({ name }) => name));
    const named = [...PAGE.matchAll(/\bbailiwick ([a-z]+)(?: ([a-z][a-z-]+))?/g)].map(([, first = "", second = ""]) =>
      commands.has(first) ? first : `${first} ${second}`,
    );
    expect(named.filter((name) => !commands.has(name))).toEqual([]);
  });
});
