import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkSkills } from "./check-skills.ts";
import { readSkills } from "./read-skills.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-doctor-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const TOOLS = `tools:
  - name: greet
    description: Says hello
    source_file: scripts/greet.sh
  - name: slow
    source_file: scripts/greet.sh
    timeout_hint_secs: 6000
`;

const makePackage = (folder: string): void => {
  mkdirSync(join(folder, "scripts"), { recursive: true });
  const front = "---\nname: greeter\ndescription: Greets.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n";
  writeFileSync(join(folder, "SKILL.md"), front);
  writeFileSync(join(folder, "tools.yaml"), TOOLS);
  writeFileSync(join(folder, "scripts", "greet.sh"), "echo '{}'\n");
};

const read = async (config: object) => {
  const parsed = parseConfig(JSON.stringify(config), { dialect: "bailiwick" });
  if (parsed.config === null) throw new Error(JSON.stringify(parsed.errors));
  const { capabilities } = parsed.config;
  const seen = await readSkills({ config: parsed.config, baseDir: dir, workDir: join(dir, "work") }, dir);
  return checkSkills(seen, capabilities);
};

it.each([
  ["a directory of the configuration", "packages/greeter", { skillDirs: ["packages"] }],
  ["the user's", ".bailiwick/skills/greeter", {}],
  ["the workspace's", "work/workspaces/ws_default/skills/greeter", {}],
])("a package in %s is found without a host, its bad entry by file and line", async (_, folder, config) => {
  makePackage(join(dir, folder));
  const [count, fault, ...more] = await read(config);
  expect(count).toEqual({ name: "skill greeter", state: "ok", message: "1 tool", fix: null });
  expect(fault).toMatchObject({ name: "skill greeter", state: "warn" });
  expect(fault?.message).toMatch(/^greeter\/tools\.yaml:\d+ {2}slow {2}invalid_tool {2}/);
  expect(fault?.fix).not.toBe("");
  expect(more).toEqual([]);
});

it("where there are no directories there is nothing to say", async () => {
  expect(await read({ skillDirs: ["gone"] })).toEqual([]);
});
