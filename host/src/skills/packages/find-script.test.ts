import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDir, write } from "../skills-for-tests.ts";
import { codesOf, manifestOf, packageFiles, readOne, SCRIPT } from "./packages-for-tests.ts";
import { readPackages } from "./read-packages.ts";

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

  it("is a file of the package, and no more than its entry is lost where it is none", async () => {
    const dir = makeDir();
    const root = join(dir, "pkg");
    const entries = ["pipe.py", "in.py", ".git/x.py", "nowhere.py"];
    const tools = entries.map((file, i) => `  - {name: t${i}, source_file: ${JSON.stringify(file)}}\n`);
    write(root, {
      "SKILL.md": manifestOf("pkg"),
      "tools.yaml": `tools:\n${tools.join("")}`,
      "real.py": "",
      ".git/x.py": "",
    });
    symlinkSync("real.py", join(root, "in.py"));
    symlinkSync("none.py", join(root, "nowhere.py"));
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(root, "pipe.py")]);
    const { packages } = await readPackages([{ path: dir, source: "workspace" }]);
    expect(packages[0]?.tools.map(({ name, script }) => [name, script])).toEqual([["t1", "real.py"]]);
    expect(packages[0]?.diagnostics.map(({ tool, reason_code: code }) => `${tool ?? ""} ${code}`)).toEqual([
      "t0 invalid_tool",
      "t2 invalid_tool",
      "t3 invalid_tool",
      " read_error",
    ]);
  });

  it("is what a link of the tool's name leads to, if that is one", async () => {
    const dir = makeDir();
    const root = join(dir, "pkg");
    write(root, packageFiles("pkg", "tools: [a-b, c, d]\n", { "lib/real.py": "", "scripts/other.sh": "" }));
    symlinkSync("../lib/real.py", join(root, "scripts/a_b.py"));
    symlinkSync("../lib/none.py", join(root, "scripts/c.py"));
    symlinkSync("../lib", join(root, "scripts/d"));
    const { packages } = await readPackages([{ path: dir, source: "workspace" }]);
    expect(packages[0]?.tools.map(({ name, script, kind }) => [name, script, kind])).toEqual([
      ["a-b", "lib/real.py", "python"],
    ]);
    expect(packages[0]?.diagnostics.map(({ message }) => message)).toEqual([
      '"scripts/c.py" is a link that leads to no file of the package.',
      '"scripts/d" is a link that leads to no file of the package.',
    ]);
  });

  it("is nothing where SKILL.md or tools.yaml itself is a link out of it", async () => {
    const [dir, elsewhere] = [makeDir(), makeDir()];
    write(elsewhere, packageFiles("evil", "tools: [run]\n"));
    for (const name of ["a", "b"]) mkdirSync(join(dir, name));
    write(join(dir, "a"), { "SKILL.md": manifestOf("a"), "scripts/run.mjs": SCRIPT });
    symlinkSync(join(elsewhere, "tools.yaml"), join(dir, "a", "tools.yaml"));
    write(join(dir, "b"), { "tools.yaml": "tools: [run]\n", "scripts/run.mjs": SCRIPT });
    symlinkSync(join(elsewhere, "SKILL.md"), join(dir, "b", "SKILL.md"));
    const { packages } = await readPackages([{ path: dir, source: "workspace" }]);
    expect(packages.map(({ usable, diagnostics }) => [usable, codesOf(diagnostics)[0]])).toEqual([
      [false, "path_outside_package"],
      [false, "path_outside_package"],
    ]);
  });
});
