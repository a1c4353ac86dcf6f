import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { AgentSkillLibrary } from "../skills/agent-skill-library.ts";
import { createSkillFiles, type SkillFiles } from "./skill-files.ts";
import { refusalOf } from "./system-tools-for-tests.ts";

let root: string;
let dir: string;
let files: SkillFiles;
/** As the next message finds them. */
const load = () =>
  new AgentSkillLibrary().load([
    { path: join(root, "global"), source: "user" },
    { path: dir, source: "workspace" },
  ]);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "bailiwick-skills-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  dir = join(root, "skills");
  files = createSkillFiles({ dir, loaded: async () => (await load()).skills });
});

const write = (name: string, text: string): void => {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), text);
};
const textOf = (name: string): string => readFileSync(join(dir, name), "utf8");
const loadOne = async (name: string) => {
  const { skills, warnings } = await load();
  return { skill: skills.find((each) => each.name === name), warnings };
};

describe("creating a skill", () => {
  it("writes a file that only its owner reads and that the next message finds", async () => {
    const draft = {
      description: "Weekly",
      body: "\nDo it.\n",
      triggers: ["weekly report", "Weekly Report"],
      keywords: ["week"],
    };
    const made = await files.create("weekly-report", { ...draft, allowedTools: ["files__*"] });
    expect(made).toEqual({ name: "weekly-report", path: "skills/weekly-report.md", version: "1.0.0" });
    expect(statSync(join(dir, "weekly-report.md")).mode & 0o777).toBe(0o600);
    const { skill, warnings } = await loadOne("weekly-report");
    expect(warnings).toEqual([]);
    expect(skill).toMatchObject({
      description: "Weekly",
      body: "Do it.",
      version: "1.0.0",
      type: "skill",
      priority: 50,
      triggers: ["weekly report"],
      keywords: ["week"],
      allowedTools: ["files__*"],
    });
    expect(readdirSync(dir)).toEqual(["weekly-report.md"]);
  });

  it("gives a context skill a priority that such a one has", async () => {
    await files.create("house-rules", { body: "Be kind.", type: "context" });
    const { skill, warnings } = await loadOne("house-rules");
    expect([skill?.type, skill?.priority, warnings]).toEqual(["context", 10, []]);
    const no = await refusalOf(files.create("more-rules", { body: "x", type: "context", priority: 11 }));
    expect([no.kind, no.message]).toEqual(["invalid_input", expect.stringContaining("priority 11")]);
    expect(readdirSync(dir)).toEqual(["house-rules.md"]);
  });

  it("does not touch one that is there", async () => {
    await files.create("a", { body: "First." });
    const no = await refusalOf(files.create("a", { body: "Second." }));
    expect([no.kind, no.next]).toEqual(["invalid_input", expect.stringContaining("action update")]);
    expect(textOf("a.md")).toContain("First.");
  });

  it("stands in for a skill of another directory, and says so", async () => {
    mkdirSync(join(root, "global"));
    writeFileSync(join(root, "global", "a.md"), "---\nname: a\n---\nGlobal.");
    const no = await refusalOf(files.update("a", { body: "x" }, "replace"));
    expect([no.message, no.next]).toEqual([
      expect.stringContaining("is a user skill"),
      expect.stringContaining("Create"),
    ]);
    expect((await files.create("a", { body: "Own." })).note).toContain("user skill a");
    expect((await loadOne("a")).skill?.body).toBe("Own.");
    expect(readFileSync(join(root, "global", "a.md"), "utf8")).toContain("Global.");
  });

  it.each([
    "",
    "A",
    "a_b",
    "-a",
    "a-",
    "a--b",
    "../a",
    "a/b",
    "a.md",
    "a\u0000",
    ".history",
    "a".repeat(65),
    "ä",
    "a\n",
  ])("takes no name such as %j", async (name) => {
    for (const work of [
      files.create(name, { body: "x" }),
      files.update(name, { body: "x" }, "append"),
      files.delete(name),
    ]) {
      const no = await refusalOf(work);
      expect([no.kind, no.details["path"]]).toEqual(["invalid_input", "/name"]);
    }
    expect(existsSync(dir)).toBe(false);
  });

  it.each([
    [{}, "/body"],
    [{ body: " \n" }, "/body"],
    [{ body: "\ud800" }, "/body"],
    [{ body: "x", description: "a\nb" }, "/description"],
    [{ body: "x", description: "a\u2028---\u2028b" }, "/description"],
    [{ body: "x", triggers: [" "] }, "/triggers"],
    [{ body: "x", keywords: ["a", "\u0007"] }, "/keywords"],
    [{ body: "x", allowedTools: [] }, "/allowedTools"],
    [{ body: "x", allowedTools: ["files__* mail__*"] }, "/allowedTools"],
    [{ body: "x", triggers: Array.from({ length: 201 }, String) }, "/triggers"],
  ])("takes no draft such as %.80j", async (draft, path) => {
    const no = await refusalOf(files.create("a", draft));
    expect([no.kind, no.details["path"]]).toEqual(["invalid_input", path]);
    expect(existsSync(join(dir, "a.md"))).toBe(false);
  });

  it("takes a body of 32,000 characters, and none of more", async () => {
    await files.create("long", { body: "😀".repeat(32_000) });
    expect((await loadOne("long")).warnings).toEqual([]);
    expect((await refusalOf(files.create("longer", { body: "x".repeat(32_001) }))).kind).toBe("too_large");
    expect((await refusalOf(files.update("long", { body: "x" }, "append"))).kind).toBe("too_large");
  });
});

describe("updating a skill", () => {
  const HAND = [
    "---",
    "# Kept by hand",
    "name: report",
    "description: 'Old'",
    "version: 1.10",
    "requires-bundles: [crm]",
    "metadata:",
    "  author: Bo # the first",
    "  triggers: [make report]",
    "  custom: {a: [1, 2]}",
    "---",
    "",
    "Old body.",
    "",
  ].join("\n");

  it("adds to body, triggers and keywords, and leaves all else as it was written", async () => {
    write("report.md", HAND);
    const more = { body: "New part.", triggers: ["MAKE report", "do report"], keywords: ["sum"] };
    expect(await files.update("report", more, "append")).toEqual({
      name: "report",
      path: "skills/report.md",
      version: "1.10.1",
      previousVersion: "1.10",
    });
    const { skill, warnings } = await loadOne("report");
    expect(warnings).toEqual([]);
    expect(skill).toMatchObject({
      description: "Old",
      body: "Old body.\n\nNew part.",
      triggers: ["make report", "do report"],
      keywords: ["sum"],
      requiresBundles: ["crm"],
      allowedTools: null,
    });
    expect(skill?.metadata).toMatchObject({ author: "Bo", custom: { a: [1, 2] } });
    expect(textOf("report.md")).toContain("# Kept by hand");
    expect(textOf(".history/report.1.md")).toBe(HAND);
    expect(statSync(join(dir, ".history/report.1.md")).mode & 0o777).toBe(0o600);
  });

  it("replaces what is given and nothing else", async () => {
    write("report.md", HAND);
    await files.update("report", { triggers: ["only this"], allowedTools: ["crm__*"] }, "replace");
    expect((await loadOne("report")).skill).toMatchObject({
      body: "Old body.",
      triggers: ["only this"],
      allowedTools: ["crm__*"],
      description: "Old",
    });
    await files.update("report", { body: "All new." }, "replace");
    expect((await loadOne("report")).skill).toMatchObject({
      body: "All new.",
      version: "1.10.2",
      triggers: ["only this"],
    });
  });

  it("keeps the last fifty texts", async () => {
    await files.create("a", { body: "Text 0." });
    for (let each = 1; each <= 53; each++) await files.update("a", { body: `Text ${each}.` }, "replace");
    const kept = readdirSync(join(dir, ".history"));
    expect(kept.length).toBe(50);
    expect([kept.includes("a.3.md"), kept.includes("a.4.md")]).toEqual([false, true]);
    expect(textOf(".history/a.53.md")).toContain("Text 52.");
    expect((await loadOne("a")).skill?.version).toBe("1.0.53");
  });

  it("loses none of many that come at once", async () => {
    await files.create("a", { body: "Start." });
    await Promise.all(Array.from({ length: 10 }, (_, each) => files.update("a", { body: `Part ${each}.` }, "append")));
    const body = (await loadOne("a")).skill?.body ?? "";
    expect(Array.from({ length: 10 }, (_, each) => body.includes(`Part ${each}.`))).not.toContain(false);
  });

  it("names those there are for one there is not", async () => {
    await files.create("weekly-report", { body: "x" });
    const no = await refusalOf(files.update("weekly-reprot", { body: "x" }, "append"));
    expect([no.kind, no.next]).toEqual(["not_found", "Did you mean weekly-report?"]);
  });

  it.each([
    ["whose file has another name for it", "---\nname: other\n---\nx"],
    ["that is none", "no front matter"],
    ["that is no UTF-8", Buffer.concat([Buffer.from("---\nname: a\n---\n"), Buffer.from([0xff, 0xfe])])],
    ["where something refers to what would change", "---\nname: a\nmetadata:\n  keywords: &k [q]\n  tags: *k\n---\nx"],
    ["whose metadata is an alias", "---\nname: a\nx: &m {triggers: [q], author: B}\nmetadata: *m\n---\nx"],
  ])("leaves one alone %s", async (_, text) => {
    mkdirSync(dir);
    writeFileSync(join(dir, "a.md"), text);
    expect((await refusalOf(files.update("a", { body: "y", keywords: ["k"] }, "append"))).kind).toBe("invalid_input");
    expect(readFileSync(join(dir, "a.md"))).toEqual(Buffer.from(text));
  });
});

describe("deleting a skill", () => {
  it("keeps its text", async () => {
    await files.create("a", { body: "Text." });
    const gone = await files.delete("a");
    expect(gone).toMatchObject({ name: "a", path: "skills/.history/a.1.md", version: "1.0.0" });
    expect(textOf(".history/a.1.md")).toContain("Text.");
    expect((await load()).skills).toEqual([]);
    expect((await refusalOf(files.delete("a"))).kind).toBe("not_found");
    await files.create("a", { body: "Again." });
    expect((await loadOne("a")).skill?.body).toBe("Again.");
  });
});
