import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Principal } from "../../kernel/principal.ts";
import { AgentSkillLibrary } from "../skills/agent-skill-library.ts";
import { createSkillFiles } from "./skill-files.ts";
import { ANN, callTool, portsWith, refusalOf } from "./system-tools-for-tests.ts";

let changed: string[];
let run: (args: object, caller?: Principal) => Promise<any>;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "bailiwick-manage-skill-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  changed = [];
  const dir = join(root, "skills");
  const library = new AgentSkillLibrary();
  const loaded = async () => (await library.load([{ path: dir, source: "workspace" }])).skills;
  const ports = portsWith({
    skillFiles: createSkillFiles({ dir, loaded }),
    skillsChanged: (name) => changed.push(name),
  });
  run = (args, caller = ANN) => callTool(ports, { caller })("manage_skill", args);
});

describe("nb__manage_skill", () => {
  it("creates, updates and deletes, and tells the host each time", async () => {
    expect(await run({ action: "create", name: "a", body: "One." })).toEqual({
      name: "a",
      path: "skills/a.md",
      version: "1.0.0",
    });
    expect(await run({ action: "update", name: "a", body: "Two.", mode: "append" })).toEqual({
      name: "a",
      path: "skills/a.md",
      version: "1.0.1",
      previousVersion: "1.0.0",
    });
    expect(await run({ action: "delete", name: "a" })).toMatchObject({
      path: "skills/.history/a.2.md",
      version: "1.0.1",
    });
    expect(changed).toEqual(["a", "a", "a"]);
  });

  it("does nothing for who may not manage the workspace", async () => {
    await run({ action: "create", name: "a", body: "One." });
    for (const more of [
      { action: "create", name: "b", body: "x" },
      { action: "update", mode: "replace", body: "x" },
      {},
    ]) {
      const no = await refusalOf(run({ action: "delete", name: "a", ...more }, { ...ANN, permissions: [] }));
      expect([no.kind, no.details["missing"]]).toEqual(["permission_missing", ["bundles:manage"]]);
    }
    expect(changed).toEqual(["a"]);
  });

  it("does not guess whether an update adds or replaces", async () => {
    await run({ action: "create", name: "a", body: "One." });
    const no = await refusalOf(run({ action: "update", name: "a", body: "Two." }));
    expect([no.kind, no.message]).toEqual(["invalid_input", "/mode must be append or replace to update a skill."]);
    expect(no.next).toMatch(/"append".*"replace"/);
    expect(changed).toEqual(["a"]);
  });

  it.each([
    [{ action: "create", name: "b", body: "x", mode: "append" }, "/mode"],
    [{ action: "create", name: "b" }, "/body"],
    [{ action: "update", name: "a", mode: "replace" }, "/body"],
    [{ action: "delete", name: "a", body: "x" }, "/body"],
    [{ action: "delete", name: "a", mode: "append" }, "/mode"],
  ])("passes over nothing in silence: %j", async (args, path) => {
    await run({ action: "create", name: "a", body: "One." });
    const no = await refusalOf(run(args));
    expect([no.kind, no.details["path"], changed]).toEqual(["invalid_input", path, ["a"]]);
  });
});
