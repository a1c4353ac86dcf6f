import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { AgentSkillLibrary } from "./agent-skill-library.ts";
import { orderSkills } from "./order-skills.ts";

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

const makeDir = (files: Readonly<Record<string, string>> = {}): string => {
  const dir = mkdtempSync(join(tmpdir(), "agent-skills-"));
  made.push(dir);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
};
const skill = (name: string, body = `Body of ${name}.`): string => `---\nname: ${name}\ndescription: x\n---\n${body}\n`;
const load = (...paths: readonly string[]) =>
  new AgentSkillLibrary().load(paths.map((path) => ({ path, source: "config" })));

describe("the skills of a workspace", () => {
  it("come by directory, files before folders, each by name, and nothing deeper counts", async () => {
    const one = makeDir({
      "z.md": skill("z"),
      "B.MD": skill("b"),
      "a/SKILL.md": skill("a"),
      "a/other.md": skill("deep"),
      "group/x/SKILL.md": skill("deeper"),
      "notes.txt": "x",
      ".hidden.md": "x",
    });
    const two = makeDir({ "c.md": skill("c") });
    const { skills, warnings } = await load(one, join(one, "missing"), two);
    expect(skills.map(({ name }) => name)).toEqual(["b", "z", "a", "c"]);
    expect(skills[2]).toMatchObject({ path: join(one, "a", "SKILL.md"), folder: join(one, "a"), source: "config" });
    expect(skills[0]).toMatchObject({ path: join(one, "B.MD"), folder: null, body: "Body of b." });
    expect(warnings).toEqual([]);
  });

  it("replace an earlier one of their name in its position, and the warning names both files", async () => {
    const one = makeDir({ "a.md": skill("a", "old"), "b.md": skill("b") });
    const two = makeDir({ "other.md": skill("a", "new"), "c.md": skill("c") });
    const { skills, warnings } = await load(one, two);
    expect(skills.map(({ name, body }) => [name, body])).toEqual([
      ["a", "new"],
      ["b", "Body of b."],
      ["c", "Body of c."],
    ]);
    expect(warnings).toEqual([
      `skill a: ${join(two, "other.md")} replaces ${join(one, "a.md")}; rename one of them to have both.`,
    ]);
  });

  it("are not replaced by a file that is no skill", async () => {
    const one = makeDir({ "a.md": skill("a") });
    const two = makeDir({ "a.md": "---\nname: a\ntype: [\n---\n" });
    const { skills, warnings } = await load(one, two);
    expect(skills.map(({ path }) => path)).toEqual([join(one, "a.md")]);
    expect(warnings).toEqual([expect.stringContaining(`${join(two, "a.md")} is skipped`)]);
  });

  it("are read again after a change, and warnings stay as long as their reason", async () => {
    const dir = makeDir({ "a.md": skill("a", "one"), "bad.md": "x" });
    const library = new AgentSkillLibrary();
    const look = async () => {
      const { skills, warnings } = await library.load([{ path: dir, source: "workspace" }]);
      return [skills.map(({ body }) => body), warnings.length];
    };
    expect(await look()).toEqual([["one"], 1]);
    expect(await look()).toEqual([["one"], 1]);
    writeFileSync(join(dir, "a.md"), skill("a", "two"));
    writeFileSync(join(dir, "bad.md"), skill("mended", "three"));
    expect(await look()).toEqual([["two", "three"], 0]);
    rmSync(join(dir, "a.md"));
    expect(await look()).toEqual([["three"], 0]);
  });

  it("in one directory that is given twice are there once and without a warning", async () => {
    const dir = makeDir({ "a.md": skill("a"), "bad.md": "x" });
    const { skills, warnings } = await load(dir, dir);
    expect([skills.length, warnings.length]).toEqual([1, 1]);
  });

  it("may be links, but not out of their folder, and nothing that is no file is waited for", async () => {
    const elsewhere = makeDir({ "real.md": skill("real"), "kit/SKILL.md": skill("kit"), "secret.md": skill("secret") });
    const dir = makeDir({ "trap/x.txt": "", "gone/x.txt": "" });
    symlinkSync(join(elsewhere, "real.md"), join(dir, "linked.md"));
    symlinkSync(join(elsewhere, "kit"), join(dir, "kit"));
    symlinkSync(join(elsewhere, "secret.md"), join(dir, "trap", "SKILL.md"));
    symlinkSync(join(elsewhere, "nowhere"), join(dir, "gone", "SKILL.md"));
    symlinkSync(join(elsewhere, "nowhere"), join(dir, "lost.md"));
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(dir, "pipe.md")]);
    const { skills, warnings } = await load(dir);
    expect(skills.map(({ name }) => name)).toEqual(["real", "kit"]);
    const told = (name: string): string | undefined => warnings.find((each) => each.startsWith(join(dir, name)));
    expect(told("trap/SKILL.md")).toContain("leads out of its folder");
    expect(told("gone/SKILL.md")).toContain("ENOENT");
    expect(told("lost.md")).toContain("mend or remove the link");
    expect(told("pipe.md")).toContain("no plain file");
    expect(warnings).toHaveLength(4);
  });

  it("are at most 500, and what follows is named", async () => {
    const dir = makeDir(
      Object.fromEntries(Array.from({ length: 502 }, (_, i) => [`s${i + 1_000}.md`, skill(`s${i}`)])),
    );
    const { skills, warnings } = await load(dir);
    expect(skills).toHaveLength(500);
    expect(warnings).toEqual([`${join(dir, "s1500.md")} and what follows is beyond 500 skills; take some out.`]);
  });
});

it("the load order is that of the listings", () => {
  const listing = (path: string, files: readonly string[], folders: readonly string[]) => ({
    path,
    source: path,
    files,
    folders,
  });
  expect(
    orderSkills([listing("/2", ["b.md", "a.md"], ["y", "x"]), listing("/1", [], []), listing("/0", ["c.md"], [])]).map(
      ({ path }) => path,
    ),
  ).toEqual(["/2/a.md", "/2/b.md", "/2/x/SKILL.md", "/2/y/SKILL.md", "/0/c.md"]);
});
