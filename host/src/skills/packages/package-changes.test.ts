import { readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeDir, write } from "../skills-for-tests.ts";
import { openPackages, packageFiles, SCRIPT } from "./packages-for-tests.ts";

const TOOLS = `tools:
  - {name: one, source_file: scripts/one.mjs, required_capabilities: [usd]}
  - {name: two, source_file: scripts/two.mjs}
  - {name: three, source_file: scripts/three.mjs}
`;
const FILES = { "scripts/one.mjs": SCRIPT, "scripts/two.mjs": SCRIPT, "scripts/three.mjs": SCRIPT, "notes.txt": "a" };
const NONE = { added: [], changed: [], removed: [] };

const open = async () => {
  const dir = makeDir();
  const root = join(dir, "pkg");
  write(root, packageFiles("pkg", TOOLS, FILES));
  const { packages } = await openPackages(dir);
  const changes = async () => {
    await packages.refresh();
    return packages.detail("pkg", new Map())?.changes;
  };
  return { dir, root, packages, changes };
};

it("a package that is as it was accepted has no changes", async () => {
  expect(await (await open()).changes()).toBeNull();
});

it("only tools whose own definition or script is another are changed", async () => {
  const { root, changes } = await open();
  write(root, { "scripts/two.mjs": `${SCRIPT}//\n`, "more.txt": "x", "notes.txt": "b" });
  expect(await changes()).toEqual({
    tools: { ...NONE, changed: ["pkg__two"] },
    required: [],
    files: { added: ["more.txt"], changed: ["notes.txt", "scripts/two.mjs"], removed: [] },
  });
});

it("tools that come, go and require something else are named with what they required before", async () => {
  const { root, changes } = await open();
  const tools = TOOLS.replace("[usd]", "[filesystem.write, usd]").replace("name: three", "name: four");
  write(root, { "tools.yaml": tools.replace("three.mjs}", "three.mjs, required_capabilities: [x]}") });
  rmSync(join(root, "notes.txt"));
  expect(await changes()).toEqual({
    tools: { added: ["pkg__four"], changed: ["pkg__one"], removed: ["pkg__three"] },
    required: [
      { tool: "pkg__one", before: ["usd"], after: ["filesystem.write", "usd"] },
      { tool: "pkg__four", before: [], after: ["x"] },
    ],
    files: { added: [], changed: ["tools.yaml"], removed: ["notes.txt"] },
  });
});

it("a key that is listed nowhere, such as its thread, changes a tool too; another spelling of the file does not", async () => {
  const { root, changes } = await open();
  write(root, {
    "tools.yaml": `# a comment\n${TOOLS.replace("scripts/three.mjs}", "scripts/three.mjs, affinity: main}")}`,
  });
  expect(await changes()).toMatchObject({
    tools: { ...NONE, changed: ["pkg__three"] },
    files: { ...NONE, changed: ["tools.yaml"] },
  });
});

it("a file that becomes a link, or a program, is changed", async () => {
  const { root, changes } = await open();
  unlinkSync(join(root, "notes.txt"));
  symlinkSync("SKILL.md", join(root, "notes.txt"));
  expect((await changes())?.files).toEqual({ ...NONE, changed: ["notes.txt"] });
});

it("are known over a restart, and not where the file that keeps them was touched", async () => {
  const { dir, root, packages } = await open();
  await packages.close();
  write(root, { "notes.txt": "b" });
  const again = await openPackages(dir);
  expect(again.packages.detail("pkg", new Map())?.changes).toMatchObject({ files: { changed: ["notes.txt"] } });
  await again.packages.close();
  const file = join(dir, ".state", "packages.json");
  expect(statSync(file).size).toBeGreaterThan(0);
  const kept = JSON.parse(readFileSync(file, "utf8")) as { packages: { files?: unknown }[] };
  for (const each of kept.packages) delete each.files;
  writeFileSync(file, JSON.stringify(kept));
  const last = await openPackages(dir);
  expect(last.packages.detail("pkg", new Map())).toMatchObject({ state: "held", accepted: null, changes: null });
});
