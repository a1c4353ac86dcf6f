import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { AgentSkillLibrary } from "../skills/agent-skill-library.ts";
import { createSkillFiles, type SkillFiles } from "./skill-files.ts";
import { refusalOf } from "./system-tools-for-tests.ts";

let root: string;
let dir: string;
let files: SkillFiles;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "bailiwick-skills-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  dir = join(root, "skills");
  const library = new AgentSkillLibrary();
  const loaded = async () => (await library.load([{ path: dir, source: "workspace" }])).skills;
  files = createSkillFiles({ dir, loaded });
});

const textOf = (name: string): string => readFileSync(join(dir, name), "utf8");

describe("what lies in the way of a skill", () => {
  it("is left alone where it is a folder skill", async () => {
    mkdirSync(join(dir, "pack"), { recursive: true });
    writeFileSync(join(dir, "pack", "SKILL.md"), "---\nname: pack\ndescription: d\n---\nx");
    for (const work of [
      files.create("pack", { body: "x" }),
      files.update("pack", { body: "x" }, "append"),
      files.delete("pack"),
    ]) {
      expect((await refusalOf(work)).message).toContain("only a person changes");
    }
    writeFileSync(join(dir, "pack", "SKILL.md"), "---\nname: named\ndescription: d\n---\nx");
    expect((await refusalOf(files.create("named", { body: "x" }))).message).toContain("pack/SKILL.md");
    expect(readdirSync(dir)).toEqual(["pack"]);
  });

  it("is not followed where it is a link", async () => {
    const target = join(root, "target.md");
    writeFileSync(target, "---\nname: a\n---\nSecret.");
    mkdirSync(dir);
    symlinkSync(target, join(dir, "a.md"));
    for (const work of [
      files.create("a", { body: "x" }),
      files.update("a", { body: "x" }, "replace"),
      files.delete("a"),
    ]) {
      expect((await refusalOf(work)).message).toContain("no plain file");
    }
    expect(readFileSync(target, "utf8")).toContain("Secret.");
    await files.create("b", { body: "x" });
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(dir, ".history"));
    expect((await refusalOf(files.update("b", { body: "y" }, "replace"))).kind).toBe("upstream_failed");
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
    expect(textOf("b.md")).toContain("x");
  });

  it("is told where the disk does not do it, without a path", async () => {
    writeFileSync(dir, "a file where the folder should be");
    const no = await refusalOf(files.create("a", { body: "x" }));
    expect([no.kind, no.details["error"], no.message.includes(root)]).toEqual(["upstream_failed", "EEXIST", false]);
  });
});
