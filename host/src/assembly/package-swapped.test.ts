/** A package on disk, as it is read, pinned and run: what is swapped after it was accepted does not run. */
import { copyFileSync, existsSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openPackages } from "../skills/packages/packages-for-tests.ts";
import { noPython, unlessNoPython } from "../skills/packages/run/python-for-tests.ts";
import { makeDir, write } from "../skills/skills-for-tests.ts";
import { callOf, factsOf, openPackage } from "./package-scripts-for-tests.ts";

const MANIFEST =
  "---\nname: maya\ndescription: For scenes.\nmetadata:\n  dcc-mcp:\n    dcc: maya\n    tools: tools.yaml\n---\n";

/** As the guide has it. */
const TOOLS = `
tools:
  - name: import_usd
    description: Import a USD stage into the scene
    required_capabilities: [usd, scene.mutate, filesystem.read]

  - name: read_stage_metadata
    description: Read metadata from a USD stage without mutating the scene
    required_capabilities: [usd, scene.read, filesystem.read]

  - name: ping
    description: No capabilities required
`;

const open = async (files: Readonly<Record<string, string>>) => {
  const dir = makeDir();
  const home = join(dir, "maya");
  write(home, { "SKILL.md": MANIFEST, "tools.yaml": TOOLS, ...files });
  const { run, dataDir } = openPackage({});
  const opened = await openPackages(dir, { run });
  const call = async (tool: string, args = "{}"): Promise<Record<string, unknown>> => {
    const provider = opened.providers.get("maya");
    if (provider === undefined) throw new Error("the package is not served");
    const answer = await provider.send(callOf(tool, args, { facts: () => factsOf(["filesystem.read"], home) }));
    return JSON.parse(answer.json) as Record<string, unknown>;
  };
  return { ...opened, home, dataDir, call };
};

const SHELL = "scripts/all.sh";

describe("a script that is swapped after its package was accepted", () => {
  test.each(["another text of the same length and time", "a link to a file outside", "a file beside it"])(
    "does not run: %s",
    async (how) => {
      const { home, dataDir, call } = await open({ [SHELL]: 'touch good; echo "1"' });
      expect(await call("ping")).toMatchObject({ structuredContent: { result: 1 } });
      const file = join(home, SHELL);
      const { atime, mtime } = statSync(file);
      if (how.startsWith("another")) writeFileSync(file, 'touch evil; echo "2"');
      if (how.startsWith("another")) utimesSync(file, atime, mtime);
      if (how.startsWith("a link")) {
        writeFileSync(join(home, "../evil.sh"), 'touch evil; echo "2"');
        renameSync(file, `${file}.old`);
        symlinkSync("../../evil.sh", file);
      }
      if (how.startsWith("a file")) copyFileSync(file, join(home, "scripts/extra.txt"));
      await expect(call("ping")).rejects.toMatchObject({ kind: "definition_changed" });
      expect(existsSync(join(dataDir, "evil"))).toBe(false);
    },
  );

  test("runs when a person has taken it", async () => {
    const { home, call, packages } = await open({ [SHELL]: "echo 1" });
    await call("ping");
    writeFileSync(join(home, SHELL), "echo 2");
    await packages.refresh();
    await expect(call("ping")).rejects.toMatchObject({ kind: "definition_changed" });
    await packages.accept("maya", packages.detail("maya", new Map())?.digest ?? "", "person:ann");
    expect(await call("ping")).toMatchObject({ structuredContent: { result: 2 } });
  });
});

describe.skipIf(noPython !== null)(`the package of the guide${unlessNoPython}`, () => {
  const SCRIPT = `
from lib_of_mine import NOTE

def import_usd(path: str, _workspace_roots=None):
    if _workspace_roots is None:
        return error_result("import_usd", "no workspace roots advertised")
    try:
        resolved = _workspace_roots.resolve(path)
    except ValueError as e:
        return error_result("import_usd", str(e))
    return success_result(NOTE, resolved=resolved)

def read_stage_metadata(): return {}
def ping(): return "pong"
`;

  test("works again and again: running it changes nothing about it", async () => {
    const files = { "scripts/tools.py": SCRIPT, "scripts/lib_of_mine.py": "NOTE = 'imported'" };
    const { call, home } = await open({
      "tools.yaml": TOOLS.replaceAll(/^(  - name: \w+)$/gm, "$1\n    source_file: scripts/tools.py"),
      ...files,
    });
    for (let times = 0; times < 2; times++) {
      expect(await call("import_usd", '{"path":"workspace://assets/hero.usd"}')).toMatchObject({
        structuredContent: { success: true, context: { resolved: join(home, "assets/hero.usd") } },
      });
    }
    expect(await call("ping")).toMatchObject({ structuredContent: { result: "pong" } });
  });
});
