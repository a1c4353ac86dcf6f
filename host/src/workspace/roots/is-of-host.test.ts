import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open, temporaryDir } from "./roots-for-tests.ts";

test("no path leads to the configuration or the work directory, whatever root holds them", () => {
  const dir = temporaryDir();
  writeFileSync(join(dir, "bailiwick.json"), "{}");
  mkdirSync(join(dir, "workspaces/ws_default/project"), { recursive: true });
  symlinkSync(join(dir, "bailiwick.json"), join(dir, "alias.json"));
  symlinkSync(join(dir, "workspaces"), join(dir, "state"));
  for (const profile of ["strict", "permissive"] as const) {
    const roots = open(dir, { list: [{ name: "all", path: "." }], profile }).of();
    const own = ["bailiwick.json", "alias.json", "workspaces/keys.json", "state/new/file", `${dir}/workspaces`];
    for (const path of [...own, "workspace://bailiwick.json", "workspaces/ws_other/project/x"])
      expect(() => roots.resolve(path)).toThrow(expect.objectContaining({ kind: "path_outside_roots", path }));
    expect(roots.resolve("bailiwick.json.txt")).toBe(join(dir, "bailiwick.json.txt"));
    expect(roots.resolve("workspaces/ws_default/project/x")).toBe(join(dir, "workspaces/ws_default/project/x"));
  }
});
