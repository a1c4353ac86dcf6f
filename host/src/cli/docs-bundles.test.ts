import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createPageReader, readBlocks, ROOT, STEP_MS } from "./docs-page-for-tests.ts";

const BLOCKS = readBlocks("bundles.md");
const reader = createPageReader();
afterAll(() => reader.close());

describe("docs/bundles.md", () => {
  it.each(BLOCKS)(
    "works at line $line ($kind $file)",
    async (block) => expect(await reader.follow(block)).toEqual([]),
    STEP_MS,
  );

  it("shows the same files as examples/hello", () => {
    const files = BLOCKS.filter(({ file }) => file.startsWith("hello/"));
    expect(files.map(({ file }) => file)).toEqual(["hello/manifest.json", "hello/server.mjs"]);
    for (const { file, text } of files) expect(readFileSync(join(ROOT, "examples", file), "utf8")).toBe(text);
  });

  it("marks its commands so that they are run", () => {
    const kinds = BLOCKS.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "run").length).toBeGreaterThanOrEqual(8);
    expect(kinds.filter((kind) => kind === "serve")).toHaveLength(1);
  });
});
