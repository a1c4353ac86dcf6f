import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDir, manifest, namesOf, openSkills, write } from "../skills-for-tests.ts";
import { codesOf, manifestOf, packageFiles, readOne, SCRIPT } from "./packages-for-tests.ts";
import { readPackages } from "./read-packages.ts";

const RUN = { "tools.yaml": "tools: [run]\n", "scripts/run.mjs": SCRIPT };

/** A SKILL.md with this front matter. */
const withFront = (front: string): Readonly<Record<string, string>> => ({
  ...RUN,
  "SKILL.md": `---\n${front}\n---\nText.\n`,
});
const BLOCK = "metadata: {dcc-mcp: {tools: tools.yaml}}";

describe("a package that cannot be served", () => {
  it.each<[string, Readonly<Record<string, string>>, string, string | undefined]>([
    ["missing_skill_md", RUN, "missing_skill_md", undefined],
    ["missing_skill_md of a .yml", { "tools.yml": "tools: [run]\n" }, "missing_skill_md", undefined],
    ["missing_frontmatter", { ...RUN, "SKILL.md": "# Only text\n" }, "missing_frontmatter", "SKILL.md#"],
    [
      "missing_frontmatter after a mark",
      { ...RUN, "SKILL.md": `\uFEFF${manifestOf("a")}` },
      "missing_frontmatter",
      "SKILL.md#",
    ],
    [
      "missing_frontmatter without an end",
      { ...RUN, "SKILL.md": "---\nname: a\n" },
      "missing_frontmatter",
      "SKILL.md#",
    ],
    ["invalid_frontmatter_yaml", withFront("name: [a"), "invalid_frontmatter_yaml", "SKILL.md#"],
    [
      "invalid_frontmatter_yaml by a key twice",
      withFront(`name: a\nname: b\n${BLOCK}`),
      "invalid_frontmatter_yaml",
      "SKILL.md#",
    ],
    ["invalid_frontmatter_shape", withFront("- a"), "invalid_frontmatter_shape", "SKILL.md#"],
    [
      "invalid_frontmatter_shape of tools",
      withFront("metadata: {dcc-mcp: {tools: [tools.yaml]}}"),
      "invalid_frontmatter_shape",
      "SKILL.md#/metadata/dcc-mcp/tools",
    ],
    [
      "tools_file_missing",
      withFront("metadata: {dcc-mcp: {tools: other.yaml}}"),
      "tools_file_missing",
      "SKILL.md#/metadata/dcc-mcp/tools",
    ],
    [
      "path_outside_package",
      withFront("metadata: {dcc-mcp: {tools: ../tools.yaml}}"),
      "path_outside_package",
      "SKILL.md#/metadata/dcc-mcp/tools",
    ],
    [
      "path_outside_package by an absolute path",
      withFront("metadata: {dcc-mcp: {tools: /etc/tools.yaml}}"),
      "path_outside_package",
      "SKILL.md#/metadata/dcc-mcp/tools",
    ],
    ["non_spec_top_level_keys", withFront(`version: "1"\n${BLOCK}`), "non_spec_top_level_keys", "SKILL.md#/version"],
    ["read_error by its size", { ...RUN, "SKILL.md": "x".repeat(262_145) }, "read_error", "SKILL.md#"],
    [
      "read_error by the bytes",
      { ...RUN, "SKILL.md": Buffer.from([0xff]) as unknown as string },
      "read_error",
      "SKILL.md#",
    ],
  ])("says why: %s", async (_, files, code, pointer) => {
    const found = await readOne(files);
    expect(found).toMatchObject({ usable: false, tools: [] });
    const told = found.diagnostics.find(({ reason_code: each }) => each === code);
    expect(told).toMatchObject({
      reason_code: code,
      message: expect.stringMatching(/\.$/),
      suggested_fix: expect.any(String),
    });
    expect(told?.pointer).toBe(pointer);
    expect(told).not.toHaveProperty("warning");
    expect(JSON.stringify(found.diagnostics)).not.toContain(found.dir);
  });

  it("names each key that does not belong to the top, and where it does", async () => {
    const { diagnostics } = await readOne(
      withFront(`name: pkg\nversion: "1"\nsearch_hint: x\ndescriptoin: y\nowner: z\n${BLOCK}`),
    );
    expect(diagnostics).toMatchObject([
      {
        reason_code: "non_spec_top_level_keys",
        message:
          'SKILL.md has keys at the top that do not belong there: "version", "search_hint", "descriptoin", "owner".',
        suggested_fix:
          'Move "version" to metadata.dcc-mcp.version. Move "search_hint" to metadata.dcc-mcp.search-hint. ' +
          'Move "descriptoin" to description, if that was meant. Move "owner" to metadata.owner.',
      },
    ]);
  });

  it("says that it is too large, or has too many files", async () => {
    const dir = makeDir();
    write(join(dir, "many"), packageFiles("many", "tools: [run]\n"));
    for (let i = 0; i < 512; i++) writeFileSync(join(dir, "many", `f${i}`), "");
    write(join(dir, "large"), packageFiles("large", "tools: [run]\n"));
    writeFileSync(join(dir, "large", "x"), Buffer.alloc(16_777_216));
    const { packages } = await readPackages([{ path: dir, source: "workspace" }]);
    expect(packages.map(({ name, diagnostics }) => [name, codesOf(diagnostics)])).toEqual([
      ["large", ["read_error"]],
      ["many", ["read_error"]],
    ]);
  });
});

describe("what a package says of itself", () => {
  it("is read from the block dcc-mcp, lists as lists or with commas", async () => {
    const more = `    dcc: maya\n    version: 1.2.3\n    tags: [a, b]\n    depends: x, y\n    products: []\n    search-aliases: usd, stage\n    search-hint: Scenes.\n    env: [A_KEY]\n`;
    const found = await readOne({ ...RUN, "SKILL.md": manifestOf("maya-usd", more) });
    expect(found).toMatchObject({
      name: "maya-usd",
      description: "What maya-usd is for.",
      dcc: "maya",
      version: "1.2.3",
      searchAliases: ["usd", "stage"],
      carried: { tags: ["a", "b"], depends: ["x", "y"], "search-hint": "Scenes." },
      env: ["A_KEY"],
      diagnostics: [{ message: expect.stringContaining('"x", "y"'), warning: true }],
      usable: true,
    });
    expect(found.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it.each<[string, string, object]>([
    ["name: My_Skill", "/name", { name: "pkg" }],
    ["name: a--b", "/name", { name: "a--b" }],
    ["name: ab-", "/name", { name: "ab-" }],
    [`name: ${"a".repeat(49)}`, "/name", { name: "pkg" }],
    [`name: ${"a".repeat(65)}`, "/name", { name: "pkg" }],
    ["name: 5", "/name", { name: "pkg" }],
    [`description: ${"x".repeat(1_025)}`, "/description", { description: "x".repeat(1_025) }],
    ["description: [a]", "/description", { description: "" }],
    [`compatibility: ${"x".repeat(501)}`, "/compatibility", {}],
  ])("is served with a warning: %s", async (line, pointer, expected) => {
    const found = await readOne(withFront(`${line}\n${BLOCK}`));
    expect(found).toMatchObject({ ...expected, usable: true });
    expect(found.diagnostics).toMatchObject([
      { reason_code: "invalid_frontmatter_shape", pointer: `SKILL.md#${pointer}`, line: 2, warning: true },
    ]);
  });

  it.each<[string, string]>([
    ["dcc: [maya]", "dcc has to be a text."],
    ["version: 1.5", "version has to be a text."],
    ["tags: {a: 1}", "tags has to be a list of texts."],
    ["env: [A B]", '"A B" is no name of a variable.'],
    ["tagz: [a]", 'The key "tagz" in metadata.dcc-mcp means nothing; did you mean tags?'],
    ["search_hint: x", 'The key "search_hint" in metadata.dcc-mcp means nothing; did you mean search-hint?'],
    ["whatever: x", 'The key "whatever" in metadata.dcc-mcp means nothing.'],
  ])("in the block is served with a warning: %s", async (line, message) => {
    const found = await readOne({ ...RUN, "SKILL.md": manifestOf("pkg", `    ${line}\n`) });
    expect(found.usable).toBe(true);
    expect(found.diagnostics).toMatchObject([{ message, line: 7, warning: true }]);
  });

  it("may leave the name to the folder, and is broken where neither is one", async () => {
    expect(await readOne(withFront(BLOCK), "a-folder")).toMatchObject({
      name: "a-folder",
      usable: true,
      diagnostics: [],
    });
    const { usable, diagnostics } = await readOne(withFront(BLOCK), "A Folder");
    expect(usable).toBe(false);
    expect(codesOf(diagnostics)).toEqual(["invalid_frontmatter_shape"]);
  });

  it("may have lines that end as on Windows", async () => {
    const found = await readOne({ ...RUN, "SKILL.md": manifestOf("pkg").replaceAll("\n", "\r\n") });
    expect(found).toMatchObject({ usable: true, description: "What pkg is for.", diagnostics: [] });
  });

  it("may be a file with another name, or deeper", async () => {
    const files = {
      "SKILL.md": manifestOf("pkg").replace("tools.yaml", "more/mine.yml"),
      "more/mine.yml": "tools: [run]\n",
    };
    const found = await readOne({ ...files, "scripts/run.mjs": SCRIPT });
    expect(found).toMatchObject({ usable: true, diagnostics: [] });
    const beside = await readOne({ ...files, ...RUN, "tools.yml": "" });
    expect(codesOf(beside.diagnostics)).toEqual(Array(2).fill("unreferenced_tools_file (warning)"));
    const dotted = { ...RUN, "SKILL.md": manifestOf("pkg").replace("tools.yaml", "./tools.yaml") };
    expect(await readOne(dotted)).toMatchObject({ usable: true, diagnostics: [] });
  });
});

describe("a folder with SKILL.md that refers to no tools", () => {
  it("stays a skill, and what it was perhaps meant for is told", async () => {
    const dir = makeDir();
    write(join(dir, "plain"), { "SKILL.md": manifest("plain", "metadata: {author: x}\n") });
    write(join(dir, "flat"), {
      "SKILL.md": manifest("flat", "metadata:\n  dcc-mcp.tools: tools.yaml\n"),
      "tools.yaml": "tools: [a]",
    });
    write(join(dir, "pkg"), packageFiles("pkg", "tools: [run]\n"));
    write(join(dir, "none"), { "tools.yaml": "tools: [a]\n" });
    const { packages, notes } = await readPackages([{ path: dir, source: "workspace" }]);
    expect(packages.map(({ name }) => name)).toEqual(["none", "pkg"]);
    expect(notes.map(({ package: name, pointer, reason_code: code }) => [name, code, pointer])).toEqual([
      ["flat", "invalid_frontmatter_shape", "SKILL.md#/metadata/dcc-mcp.tools"],
      ["flat", "unreferenced_tools_file", "SKILL.md#"],
    ]);
    const { skills } = await openSkills(dir);
    expect(namesOf(skills)).toEqual(["flat", "plain"]);
    expect(skills.catalogue().defects).toEqual([]);
  });
});
