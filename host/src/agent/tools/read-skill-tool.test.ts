import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { BuiltInCall } from "../../kernel/built-in.ts";
import type { Principal } from "../../kernel/principal.ts";
import { createSkillBook } from "../skills/skill-book.ts";
import { readSkillTool } from "./read-skill-tool.ts";
import { ANN, factsOf, refusalOf } from "./system-tools-for-tests.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-read-skill-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "report.md"), "---\nname: report\n---\nHow to report.");
  mkdirSync(join(dir, "forms"));
  writeFileSync(join(dir, "forms", "SKILL.md"), "---\nname: forms\ndescription: d\n---\nSee fields.md.");
  writeFileSync(join(dir, "forms", "fields.md"), "Name, place.");
});

const read = async (args: object, caller: Principal = ANN): Promise<unknown> => {
  const book = createSkillBook({
    directories: () => [{ path: dir, source: "workspace" }],
    onChange: () => {},
    now: () => ({ running: new Set(), packageReason: () => null, missing: () => [] }),
    listed: () => "[]",
    readServerSkill: () => Promise.reject(new Error("no server has one")),
  });
  const call = { facts: factsOf({ caller }) } as Partial<BuiltInCall> as BuiltInCall;
  return (await readSkillTool(book).run({ ...args }, call)).content;
};

describe("skills__read", () => {
  it("gives out the text of a skill and other files of its folder", async () => {
    expect(await read({ name: "report" })).toEqual([{ type: "text", text: "How to report." }]);
    expect(await read({ name: "forms", file: "fields.md" })).toEqual([{ type: "text", text: "Name, place." }]);
  });

  it("names those that may be meant", async () => {
    const no = await refusalOf(read({ name: "reprot" }));
    expect([no.kind, no.message]).toEqual(["not_found", expect.stringContaining('Did you mean "report"?')]);
  });

  it("gives a key nothing that it may not name", async () => {
    const no = await refusalOf(read({ name: "report" }, { ...ANN, scopes: ["crm__*"] }));
    expect([no.kind, no.message.includes("How")]).toEqual(["not_found", false]);
  });

  it.each(["../report.md", "/etc/passwd", "SKILL.md/..", ".hidden", "fields.md\u0000"])(
    "reaches nothing outside the folder: %j",
    async (file) => {
      expect((await refusalOf(read({ name: "forms", file }))).kind).toBe("not_found");
    },
  );
});
