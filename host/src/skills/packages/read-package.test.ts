import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
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
    expect(packages.map(({ name, diagnostics }) => [name, ...codesOf(diagnostics)])).toEqual([
      ["large", "read_error"],
      ["many", "read_error"],
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
      diagnostics: [],
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

  it("may be a file with another name, or deeper", async () => {
    const files = {
      "SKILL.md": manifestOf("pkg").replace("tools.yaml", "more/mine.yml"),
      "more/mine.yml": "tools: [run]\n",
    };
    const found = await readOne({ ...files, "scripts/run.mjs": SCRIPT });
    expect(found).toMatchObject({ usable: true, diagnostics: [] });
    const beside = await readOne({ ...files, ...RUN });
    expect(codesOf(beside.diagnostics)).toEqual(["unreferenced_tools_file (warning)"]);
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

describe("which script a tool is", () => {
  const scriptOf = async (tools: string, scripts: readonly string[]) => {
    const files = Object.fromEntries(scripts.map((path) => [path, ""]));
    const { tools: read, diagnostics } = await readOne({
      "SKILL.md": manifestOf("pkg"),
      "tools.yaml": tools,
      ...files,
    });
    return read[0] === undefined ? codesOf(diagnostics) : `${read[0].kind} ${read[0].script}`;
  };

  it.each<[string, readonly string[], string | readonly string[]]>([
    ["tools: [a]", ["scripts/a.py", "scripts/b.py"], "python scripts/a.py"],
    ["tools: [a-b]", ["scripts/a_b.sh", "scripts/c.sh"], "shell scripts/a_b.sh"],
    ["tools: [a_b]", ["scripts/a-b.ts", "scripts/c.sh"], "typescript scripts/a-b.ts"],
    ["tools: [a_b]", ["scripts/a-b.js", "scripts/a_b.cjs"], "node scripts/a_b.cjs"],
    ["tools: [a]", ["scripts/other.mjs", "scripts/data.json"], "node scripts/other.mjs"],
    ["tools: [{name: a, source_file: lib/x.py}]", ["lib/x.py", "scripts/a.py"], "python lib/x.py"],
    ["tools: [{name: a, source_file: ./scripts/../lib/x.py}]", ["lib/x.py"], "python lib/x.py"],
    ["tools: [a]", ["scripts/a.py", "scripts/a.sh"], ["invalid_tool"]],
    ["tools: [a]", ["scripts/b.py", "scripts/c.py"], ["invalid_tool"]],
    ["tools: [a]", ["scripts/deep/a.py"], ["invalid_tool"]],
    ["tools: [a]", ["a.py"], ["invalid_tool"]],
    ["tools: [a]", ["scripts/a.txt"], ["invalid_tool"]],
    ["tools: [{name: a, source_file: scripts/a.txt}]", ["scripts/a.txt"], ["invalid_tool"]],
    ["tools: [{name: a, source_file: ../../../etc/passwd}]", ["scripts/a.py"], ["path_outside_package"]],
    ["tools: [{name: a, source_file: /bin/sh}]", ["scripts/a.py"], ["path_outside_package"]],
    ["tools: [{name: a, source_file: .}]", ["scripts/a.py"], ["path_outside_package"]],
    ['tools: [{name: a, source_file: "a\\0b"}]', ["scripts/a.py"], ["invalid_tool"]],
  ])("%s with %j is %j", async (tools, scripts, expected) => {
    expect(await scriptOf(tools, scripts)).toEqual(expected);
  });

  it("is nothing outside the package, whichever way a link leads, and no more than that entry is lost", async () => {
    const [dir, elsewhere] = [makeDir(), makeDir()];
    write(elsewhere, { "evil.py": "", "more/evil.py": "" });
    const root = join(dir, "pkg");
    const entries = ["out", "way/evil.py", "pipe.py", "in.py", ".git/x.py", "nowhere.py"];
    const tools = entries.map(
      (file, i) => `  - {name: t${i}, source_file: ${JSON.stringify(file === "out" ? "out.py" : file)}}\n`,
    );
    write(root, {
      "SKILL.md": manifestOf("pkg"),
      "tools.yaml": `tools:\n${tools.join("")}`,
      "real.py": "",
      ".git/x.py": "",
    });
    symlinkSync(join(elsewhere, "evil.py"), join(root, "out.py"));
    symlinkSync(join(elsewhere, "more"), join(root, "way"));
    symlinkSync("real.py", join(root, "in.py"));
    symlinkSync("none.py", join(root, "nowhere.py"));
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(root, "pipe.py")]);
    const { packages } = await readPackages([{ path: dir, source: "workspace" }]);
    expect(packages[0]?.tools.map(({ name, script }) => [name, script])).toEqual([["t3", "real.py"]]);
    expect(packages[0]?.diagnostics.map(({ tool, reason_code: code }) => `${tool ?? ""} ${code}`)).toEqual([
      "t0 path_outside_package",
      "t1 path_outside_package",
      "t2 invalid_tool",
      "t4 invalid_tool",
      "t5 invalid_tool",
      " read_error",
      " path_outside_package",
      " path_outside_package",
    ]);
    expect(JSON.stringify(packages[0]?.diagnostics)).not.toContain(elsewhere);
  });

  it("is nothing where SKILL.md or tools.yaml itself is a link out of it", async () => {
    const [dir, elsewhere] = [makeDir(), makeDir()];
    write(elsewhere, packageFiles("evil", "tools: [run]\n"));
    for (const name of ["a", "b"]) mkdirSync(join(dir, name));
    write(join(dir, "a"), { "SKILL.md": manifestOf("a"), "scripts/run.mjs": SCRIPT });
    symlinkSync(join(elsewhere, "tools.yaml"), join(dir, "a", "tools.yaml"));
    write(join(dir, "b"), RUN);
    symlinkSync(join(elsewhere, "SKILL.md"), join(dir, "b", "SKILL.md"));
    const { packages } = await readPackages([{ path: dir, source: "workspace" }]);
    expect(packages.map(({ usable, diagnostics }) => [usable, codesOf(diagnostics)[0]])).toEqual([
      [false, "path_outside_package"],
      [false, "path_outside_package"],
    ]);
  });
});
