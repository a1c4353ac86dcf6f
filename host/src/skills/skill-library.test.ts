import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { skillEntry } from "@modelcontextprotocol/server/ext/skills";
import { describe, expect, it } from "vitest";
import { skillDefects } from "../kernel/skill-rules.ts";
import { defectsOf, makeDir, manifest, namesOf, openSkills, write } from "./skills-for-tests.ts";

describe("folders with a SKILL.md", () => {
  it("are listed with the entry that the protocol's library makes of them, which its client accepts", async () => {
    const dir = makeDir();
    const files = {
      "SKILL.md": manifest("pdf", "license: MIT\nmetadata:\n  author: ann\nallowed-tools: a__* b__c\n"),
      "references/FORMS & 100%.md": "forms ä\n",
      "logo.png": new Uint8Array([0x89, 0xff, 0, 1]),
      "empty.txt": "",
    };
    write(join(dir, "pdf"), { ...files, ".git/config": "secret", ".env": "secret" });
    const { skills } = await openSkills(dir);
    const entry = await skillEntry("pdf", files);
    const { skills: listed, resources, directories, defects } = skills.catalogue();
    expect(listed?.map(({ json }) => JSON.parse(json))).toEqual([entry]);
    expect(listed?.[0]?.uri).toBe("skill://pdf/SKILL.md");
    expect(await skillDefects([entry])).toEqual([null]);
    expect({ directories, defects }).toEqual({ directories: true, defects: [] });
    expect(resources.map(({ value }) => value)).toEqual([
      {
        uri: "skill://pdf/SKILL.md",
        name: "pdf",
        description: "What pdf is for.",
        mimeType: "text/markdown",
        size: files["SKILL.md"].length,
      },
    ]);
  });

  it("come in the order of the directories, then by name, and nothing deeper counts", async () => {
    const [one, two] = [makeDir(), makeDir()];
    write(one, { "b/SKILL.md": manifest("b"), "a/SKILL.md": manifest("a"), "flat.md": manifest("flat"), "c/x.md": "" });
    write(two, { "aa/SKILL.md": manifest("aa"), "group/deep/SKILL.md": manifest("deep") });
    const { skills } = await openSkills(one, two);
    expect(namesOf(skills)).toEqual(["a", "b", "aa"]);
    expect(skills.catalogue().defects).toEqual([]);
  });

  it("replace an earlier one of the same name in its place, and both are named", async () => {
    const [one, two] = [makeDir(), makeDir()];
    write(one, { "a/SKILL.md": manifest("a"), "b/SKILL.md": manifest("b") });
    write(two, { "a/SKILL.md": manifest("a", "license: later\n") });
    const { skills } = await openSkills(one, two);
    expect(namesOf(skills)).toEqual(["a", "b"]);
    expect(skills.catalogue().skills?.[0]?.json).toContain('"license":"later"');
    expect(skills.catalogue().defects).toEqual([
      `skill a: ${join(two, "a")} replaces ${join(one, "a")}; rename one of them to have both.`,
    ]);
  });

  it("do not replace an earlier one when they cannot be served", async () => {
    const [one, two] = [makeDir(), makeDir()];
    write(one, { "a/SKILL.md": manifest("a") });
    write(two, { "a/SKILL.md": "---\nname: a\n---\n" });
    const { skills } = await openSkills(one, two);
    expect(namesOf(skills)).toEqual(["a"]);
    expect(defectsOf(skills)).toContain(`${join(two, "a")} is not served as a skill: `);
  });

  it("are served under the name in SKILL.md, with a word about the folder's", async () => {
    const dir = makeDir();
    write(dir, { "Some Folder/SKILL.md": manifest("some-skill"), "Some Folder/x.txt": "x" });
    const { skills } = await openSkills(dir);
    expect(skills.catalogue().skills?.[0]?.json).toContain('"uri":"skill://some-skill/x.txt"');
    expect(defectsOf(skills)).toContain("Some Folder is served as some-skill");
  });
});

describe("a folder that is no usable skill", () => {
  const bomb = `a: &a [x,x]\n${Array.from({ length: 30 }, (_, i) => `k${i}: &k${i} [*a,*a]\n`).join("")}`;
  it.each<[string, string, RegExp]>([
    ["no front matter", "# hello", /does not begin with front matter/],
    ["front matter without an end", "---\nname: x\n", /does not end/],
    ["front matter that is no YAML", "---\nname: [\n---\n", /no YAML/],
    ["no name", "---\ndescription: d\n---\n", /no usable name/],
    ["a name that leaves the folder", "---\nname: ../../etc\ndescription: d\n---\n", /no usable name/],
    ["a name that is an alias", "---\na: &a x\nname: *a\ndescription: d\n---\n", /no usable name|no YAML/],
    ["no description", "---\nname: x\n---\n", /"description"/],
    ["metadata that is no map of texts", manifest("x", "metadata:\n  a: [1]\n"), /metadata/],
    ["aliases that would grow", manifest("x", bomb), /anchors, aliases and tags/],
    ["a great many brackets", manifest("x", `a: ${"[".repeat(10_000)}\n`), /no YAML|nesting|flow/],
    ["bytes that are no text", "---\nname: x\ndescription: \uFFFD\n---\n", /UTF-8/],
    ["too much text", manifest("x") + "x".repeat(262_144), /more than 262144 bytes/],
  ])("is left out with the reason: %s", async (_, text, reason) => {
    const dir = makeDir();
    const bytes = Buffer.from(text);
    write(dir, {
      "a/SKILL.md": reason.source === "UTF-8" ? Buffer.from(bytes.map((b) => (b === 0xef ? 0xff : b))) : bytes,
    });
    write(dir, { "good/SKILL.md": manifest("good") });
    const { skills } = await openSkills(dir);
    expect(namesOf(skills)).toEqual(["good"]);
    expect(defectsOf(skills)).toMatch(reason);
    expect(defectsOf(skills)).toContain(`${join(dir, "a")} is not served as a skill: `);
  });

  it("is left out when anything in it leads out of it, or is no file", async () => {
    const dir = makeDir();
    const outside = makeDir();
    write(outside, { secret: "secret", "SKILL.md": manifest("linked-manifest") });
    for (const name of ["file-link", "folder-link", "pipe", "loop", "dangling"]) {
      write(dir, { [`${name}/SKILL.md`]: manifest(name) });
    }
    symlinkSync(join(outside, "secret"), join(dir, "file-link", "x"));
    symlinkSync(outside, join(dir, "folder-link", "x"));
    symlinkSync(".", join(dir, "loop", "x"));
    symlinkSync("nowhere", join(dir, "dangling", "x"));
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(dir, "pipe", "x")]);
    mkdirSync(join(dir, "linked-manifest"));
    symlinkSync(join(outside, "SKILL.md"), join(dir, "linked-manifest", "SKILL.md"));
    const { skills } = await openSkills(dir);
    expect(skills.catalogue().skills).toBeNull();
    expect(skills.catalogue().defects).toHaveLength(6);
    expect(defectsOf(skills)).not.toContain("secret");
  });

  it("is left out when it has too many files, or too many bytes", async () => {
    const dir = makeDir();
    write(dir, { "many/SKILL.md": manifest("many"), "large/SKILL.md": manifest("large") });
    for (let i = 0; i < 512; i++) writeFileSync(join(dir, "many", `f${i}`), "");
    writeFileSync(join(dir, "large", "x"), Buffer.alloc(16_777_216));
    const { skills } = await openSkills(dir);
    expect(skills.catalogue().skills).toBeNull();
    expect(defectsOf(skills)).toContain("more than 512 files");
    expect(defectsOf(skills)).toContain("more than 16777216 bytes");
  });
});

describe("a file with an odd name", () => {
  it("is served like any other, or its folder is left out", async () => {
    const dir = makeDir();
    write(join(dir, "odd"), { "SKILL.md": manifest("odd"), __proto__x: "", "a#b?c%2e.md": "x", "new\nline": "y" });
    writeFileSync(join(dir, "odd", "__proto__"), "proto");
    write(join(dir, "back"), { "SKILL.md": manifest("back"), "a\\..\\b": "x" });
    writeFileSync(Buffer.concat([Buffer.from(join(dir, "back", "bytes-")), Buffer.from([0xff])]), "x");
    const { skills } = await openSkills(dir);
    expect(namesOf(skills)).toEqual(["odd"]);
    expect(skills.catalogue().skills?.[0]?.json).toContain('"skill://odd/__proto__"');
    expect(skills.catalogue().skills?.[0]?.json).toContain('"skill://odd/a%23b%3Fc%252e.md"');
    expect(defectsOf(skills)).toContain(`${join(dir, "back")} is not served as a skill: `);
  });
});

describe("a directory that is named twice", () => {
  it("counts once", async () => {
    const dir = makeDir();
    write(dir, { "other-name/SKILL.md": manifest("a"), "b/SKILL.md": "" });
    const { skills } = await openSkills(dir, dir);
    expect(namesOf(skills)).toEqual(["a"]);
    expect(skills.catalogue().defects).toHaveLength(2);
  });
});

describe("links that stay", () => {
  it("are the file they lead to, and a folder may be a link itself", async () => {
    const [dir, elsewhere] = [makeDir(), makeDir()];
    write(elsewhere, { "a/SKILL.md": manifest("a"), "a/real.md": "real" });
    symlinkSync("real.md", join(elsewhere, "a", "also.md"));
    symlinkSync(join(elsewhere, "a"), join(dir, "a"));
    const { skills } = await openSkills(dir);
    expect(skills.catalogue().defects).toEqual([]);
    expect(skills.catalogue().skills?.[0]?.json).toContain("skill://a/also.md");
  });
});

describe("changes on disk", () => {
  it("are listed after the next look and told once; what is the same is not told", async () => {
    const dir = makeDir();
    write(dir, { "a/SKILL.md": manifest("a") });
    const { skills, changes } = await openSkills(dir, join(dir, "later"));
    expect(changes()).toBe(1);
    await skills.refresh();
    utimesSync(join(dir, "a", "SKILL.md"), 1, 1);
    await skills.refresh();
    expect(changes()).toBe(1);
    write(dir, { "a/x.md": "x", "later/b/SKILL.md": manifest("b") });
    await skills.refresh();
    expect(namesOf(skills)).toEqual(["a", "b"]);
    expect(skills.catalogue().skills?.[0]?.json).toContain("skill://a/x.md");
    renameSync(join(dir, "later", "b"), join(dir, "later", "c"));
    await skills.refresh();
    expect(defectsOf(skills)).toContain("is served as b");
    rmSync(dir, { recursive: true });
    await skills.refresh();
    expect(skills.catalogue()).toMatchObject({ skills: null, resources: [], directories: false, defects: [] });
    expect(changes()).toBe(4);
  });
});
