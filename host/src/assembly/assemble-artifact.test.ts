import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench, snapshot, type TestBench } from "../compose/outputs/bench-for-tests.ts";
import { OWN_FLAVOUR } from "../kernel/disk-view.ts";
import { createRoots } from "../workspace/roots/create-roots.ts";

/** The host keeps itself in a folder of the root that the operator configured. */
const open = async (profile: "strict" | "permissive"): Promise<TestBench> => {
  const bench = openBench({
    roots: (base) => {
      const workDir = join(base, "root/host");
      mkdirSync(join(workDir, "plugins/generators"), { recursive: true });
      writeFileSync(join(base, "root/settings.json"), "{}");
      const list = [
        { name: "all", path: join(base, "root") },
        { name: "work", path: workDir },
      ];
      const settings = { list, profile, fromClients: "never" } as const;
      return createRoots({
        settings: () => settings,
        projectDir: (workspace) => join(workDir, "workspaces", workspace, "project"),
        resolvePath: (path) => path,
        flavour: OWN_FLAVOUR,
        home: "/home/nobody",
        workDir,
        configFile: join(base, "root/settings.json"),
      })({ workspace: "ws", clientRoots: null });
    },
  });
  await bench.save([{ id: "a" }]);
  await bench.add("a", "Alpha");
  return bench;
};

describe.each(["strict", "permissive"] as const)("an artifact in roots that are %s", (profile) => {
  it("is never written to what the host keeps for itself", async () => {
    const bench = await open(profile);
    const before = snapshot(bench.base);
    const closed = [
      "host/x.md",
      "host/plugins/generators/x.generator.mjs",
      "host/workspaces/ws/plugins/generators/x.generator.mjs",
      "host/workspaces/ws/data/compose/ephemeral/a/x.md",
      "host/workspaces/other/project/x.md",
      "workspace://@work/evidence.db",
      "workspace://host/keys/x",
      "settings.json",
      join(bench.root, "host/x.md"),
      join(bench.root, "settings.json"),
    ];
    for (const output_path of closed)
      expect(await bench.refusal({ output_path, force: true })).toMatchObject({
        code: "invalid_output_path",
      });
    for (const output_path of ["/etc/bailiwick-was-here", join(bench.base, "x.md"), "../x.md"])
      expect((await bench.refusal({ output_path })).code).toBe("invalid_output_path");
    expect(snapshot(bench.base)).toEqual(before);
  });

  it("may be written to the folder that the workspace works in, and beside the host", async () => {
    const bench = await open(profile);
    await bench.assemble({ output_path: "host/workspaces/ws/project/x.md" });
    await bench.assemble({ output_path: "docs/x.md" });
    expect(readdirSync(join(bench.root, "docs"))).toEqual(["x.md"]);
  });
});
