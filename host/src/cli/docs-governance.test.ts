import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.ts";
import { createPageReader, readBlocks, ROOT, STEP_MS } from "./docs-page-for-tests.ts";

const BLOCKS = readBlocks("governance.md");
const PAGE = readFileSync(join(ROOT, "docs", "governance.md"), "utf8");
const reader = createPageReader();
afterAll(() => reader.close());

describe("docs/governance.md", () => {
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

  it("runs every command about governance at least once", () => {
    const ran = BLOCKS.filter(({ kind }) => kind === "run")
      .map(({ text }) => text)
      .join("\n");
    const named = ["approve", "call", "explain", "policy check", "policy test", "key create", "key rotate-host"];
    const evidence = ["tail", "show", "trace", "export", "verify", "checkpoint", "purge", "redact"].map(
      (word) => `evidence ${word}`,
    );
    const missing = [...named, ...evidence].filter((command) => !ran.includes(`bailiwick ${command}`));
    expect(missing).toEqual([]);
  });

  it("names only commands that there are", () => {
    const commands = new Set(COMMANDS.map(({ name }) => name));
    const named = [...PAGE.matchAll(/\bbailiwick ([a-z]+)(?: ([a-z][a-z-]+))?/g)].map(([, first = "", second = ""]) =>
      commands.has(first) ? first : `${first} ${second}`,
    );
    expect(named.filter((name) => !commands.has(name))).toEqual([]);
  });
});
