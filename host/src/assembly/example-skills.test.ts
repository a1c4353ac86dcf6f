/** The packages in `examples/skills` are served without a complaint, and each of their tools works. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { unconfinable, unlessUnconfinable } from "../bundles/sandbox/confined-for-tests.ts";
import { readPackages } from "../skills/packages/read-packages.ts";
import type { SkillPackage } from "../skills/packages/skill-package.ts";
import { callOf, factsOf, listingOf, openPackage, type PackageMore } from "./package-scripts-for-tests.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples/skills", import.meta.url));

const readExample = async (name: string): Promise<SkillPackage> => {
  const { packages } = await readPackages([{ path: EXAMPLES, source: "config" }]);
  const found = packages.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no package ${name}`);
  return found;
};

type Call = (tool: string, args?: object) => Promise<Record<string, unknown>>;

const openExample = async (name: string, root: string, more: PackageMore = {}): Promise<Call> => {
  const { dir, tools } = await readExample(name);
  const listing = listingOf(dir, tools);
  const { provider } = openPackage({}, { listed: () => listing, ...more });
  return async (tool, args = {}) => {
    const { required = [] } = tools.find((each) => each.name === tool) ?? {};
    const facts = factsOf(required, root);
    const answer = await provider.send(callOf(tool, JSON.stringify(args), { facts: () => facts }));
    return JSON.parse(answer.json) as Record<string, unknown>;
  };
};

const makeRoot = (): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-examples-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "docs"));
  return root;
};

describe("the example packages", () => {
  test("have nothing that anybody has to say anything about", async () => {
    const { packages, notes } = await readPackages([{ path: EXAMPLES, source: "config" }]);
    expect(packages.map(({ name, tools, diagnostics }) => [name, tools.map((tool) => tool.name), diagnostics])).toEqual(
      [
        ["machine-facts", ["free_space", "memory", "busiest"], []],
        ["text-tools", ["count_words", "outline_markdown", "sort_lines"], []],
      ],
    );
    expect(notes).toEqual([]);
  });

  test("text-tools counts, outlines and sorts", async () => {
    const root = makeRoot();
    const call = await openExample("text-tools", root);
    const path = join(root, "docs/guide.md");
    writeFileSync(path, "# One two #\n\n```sh\n# no heading\n```\n### Three\n");
    expect(await call("count_words", { path })).toMatchObject({
      structuredContent: { lines: 6, words: 11, characters: 46 },
    });
    const headings = [
      { level: 1, line: 1, text: "One two" },
      { level: 3, line: 6, text: "Three" },
    ];
    expect(await call("outline_markdown", { path })).toMatchObject({
      structuredContent: { headings },
      _meta: { dcc: { next_tools: { on_success: ["text-tools__count_words"] } } },
    });
    expect(await call("outline_markdown", { path, depth: 2 })).toMatchObject({
      structuredContent: { headings: headings.slice(0, 1) },
    });
    const words = join(root, "words");
    writeFileSync(words, "b\na\nb");
    expect(await call("sort_lines", { path: words, unique: true })).toMatchObject({
      structuredContent: { changed: true },
    });
    expect(readFileSync(words, "utf8")).toBe("a\nb\n");
  });

  test("text-tools knows what closes a heading, however long the line is", async () => {
    const root = makeRoot();
    const call = await openExample("text-tools", root);
    const path = join(root, "docs/guide.md");
    const blanks = " ".repeat(100_000);
    const lines = [
      `#${blanks}a${blanks}b${blanks}#${blanks}c`,
      "## C# ##",
      "## C#",
      "###",
      "### ###",
      "#no",
      "# \t#\t",
    ];
    writeFileSync(path, lines.join("\n"));
    expect(await call("outline_markdown", { path })).toMatchObject({
      structuredContent: {
        headings: [
          { level: 1, line: 1, text: `a${blanks}b${blanks}#${blanks}c` },
          { level: 2, line: 2, text: "C#" },
          { level: 2, line: 3, text: "C#" },
          { level: 3, line: 4, text: "" },
          { level: 3, line: 5, text: "" },
          { level: 1, line: 7, text: "" },
        ],
      },
    });
  });

  test.skipIf(unconfinable !== null)(
    `work as their page sets them up, in the sandbox too${unlessUnconfinable}`,
    async () => {
      const page = readFileSync(join(EXAMPLES, "README.md"), "utf8");
      const config = /```json\n([^]*?)```/.exec(page)?.[1] ?? "";
      const { capabilities } = JSON.parse(config) as { capabilities: { roots: { list: { path: string }[] } } };
      const dir = makeRoot();
      const root = resolve(dir, capabilities.roots.list[0]?.path ?? "");
      mkdirSync(root, { recursive: true });
      writeFileSync(join(dir, "bailiwick.json"), config);
      writeFileSync(join(root, "README.md"), "# Hello\n");
      const sandbox = { profile: "bwrap", require: true, network: "host", read: [], write: [] } as const;
      const call = await openExample("text-tools", root, { sandbox, configFiles: [join(dir, "bailiwick.json")] });
      expect(await call("count_words", { path: join(root, "README.md") })).toMatchObject({
        structuredContent: { words: 2 },
      });
    },
  );

  test("text-tools says what is wrong with a file", async () => {
    const root = makeRoot();
    const call = await openExample("text-tools", root);
    expect(await call("count_words", { path: join(root, "absent") })).toMatchObject({
      isError: true,
      structuredContent: { message: "There is no such file." },
    });
    expect(await call("count_words", { path: root })).toMatchObject({ isError: true });
  });

  test("machine-facts knows about disk, memory and programs", async () => {
    const call = await openExample("machine-facts", "/");
    expect(await call("free_space")).toMatchObject({
      structuredContent: {
        file_systems: expect.arrayContaining([
          { mounted_on: "/", size_kib: expect.any(Number), free_kib: expect.any(Number) },
        ]),
      },
    });
    expect(await call("memory")).toMatchObject({ structuredContent: { total_kib: expect.any(Number) } });
    expect(await call("busiest")).toMatchObject({ structuredContent: { programs: expect.any(Array) } });
  });
});
