import { hash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { catalogueSkills } from "./skills-in-prompt.ts";
import { entryOf, makeDir, openBook, OWNER, readerAs, principal, put, skillText } from "./skill-book-for-tests.ts";

const PACKAGE = "metadata:\n  dcc-mcp:\n    tools: tools.yaml\n";
const say = (message: string, explicit: string | false | null = null) => ({ message, explicit });

describe("the skills of a message", () => {
  it("are those of the disk in load order, then those of servers by their names", async () => {
    const [first, second] = [makeDir({ "b/SKILL.md": skillText("b"), "a.md": skillText("a") }), makeDir()];
    put(join(second, "soul.md"), skillText("soul", "type: context\npriority: 3\n"));
    const { book } = openBook([first, second], { entries: [entryOf("crm", "deals"), entryOf("mail", "letters")] });
    const { skills, warnings } = await book.load(OWNER);
    expect(skills.map(({ name, source, server, type }) => [name, source, server, type])).toEqual([
      ["a", "workspace", null, "skill"],
      ["b", "workspace", null, "skill"],
      ["soul", "workspace", null, "context"],
      ["deals", "bundle:crm", "crm", "skill"],
      ["letters", "bundle:mail", "mail", "skill"],
    ]);
    expect(warnings).toEqual([]);
  });

  it("count as they are on disk with the next message, and each change is told once by its name", async () => {
    const dir = makeDir({ "a.md": skillText("a"), "b.md": skillText("b"), "c.md": skillText("c") });
    const { book, changed } = openBook([dir]);
    await book.load(OWNER);
    expect(changed).toEqual([]);
    put(join(dir, "a.md"), skillText("a", "", "Another body."));
    rmSync(join(dir, "b.md"));
    put(join(dir, "d.md"), skillText("d"));
    const { skills } = await book.load(OWNER);
    expect(skills.map(({ name, body }) => [name, body])).toEqual([
      ["a", "Another body."],
      ["c", "Body of c."],
      ["d", "Body of d."],
    ]);
    expect(changed.toSorted()).toEqual(["a", "b", "d"]);
    expect((await book.local()).map(({ name }) => name)).toEqual(["a", "c", "d"]);
    expect(changed).toHaveLength(3);
  });

  it("are told when they change, without a word about those that are shipped or were there before", async () => {
    const [shipped, none, some] = [makeDir({ "s.md": skillText("s") }), makeDir(), makeDir({ "a.md": skillText("a") })];
    const open = (own: string) =>
      openBook([], {
        directories: () => [
          { path: shipped, source: "built-in" },
          { path: own, source: "workspace" },
        ],
      });
    const [first, second] = [open(none), open(some)];
    await Promise.all([first.book.watch(), second.book.watch()]);
    put(join(shipped, "s.md"), skillText("s", "", "Another body."));
    await first.book.watch();
    expect([first.changed, second.changed]).toEqual([[], []]);
    for (const dir of [none, some]) put(join(dir, "b.md"), skillText("b"));
    rmSync(join(some, "a.md"));
    await Promise.all([first.book.watch(), second.book.watch()]);
    expect([first.changed, second.changed.toSorted()]).toEqual([["b"], ["a", "b", "s"]]);
    rmSync(join(none, "b.md"));
    await first.book.watch();
    expect(first.changed).toEqual(["b", "b"]);
  });

  it("are never older than the question, whoever else asks meanwhile", async () => {
    const dir = makeDir({ "a.md": skillText("a", "", "0") });
    const { book } = openBook([dir]);
    for (let round = 1; round <= 20; round++) {
      const before = book.load(OWNER);
      put(join(dir, "a.md"), skillText("a", "", String(round % 10)));
      const after = await Promise.all([book.load(OWNER), book.load(OWNER)]);
      expect(after.map(({ skills }) => skills[0]?.body)).toEqual([String(round % 10), String(round % 10)]);
      await before;
    }
  });

  it("are not matched while a bundle that they need is not running, and say so", async () => {
    const dir = makeDir({ "a.md": skillText("a", "requires-bundles: [crm]\nmetadata: {triggers: [deal]}\n") });
    const [off, on] = [openBook([dir], { running: [] }), openBook([dir])];
    const loaded = await off.book.load(OWNER);
    expect(loaded.skills).toMatchObject([{ name: "a", reason: expect.stringContaining("bundle start crm") }]);
    expect(await off.book.choose(loaded, say("a deal"), readerAs(OWNER))).toEqual({ match: null, unreadable: [] });
    await expect(off.book.choose(loaded, say("a deal", "a"), readerAs(OWNER))).rejects.toMatchObject({
      kind: "bad_request",
      message: expect.stringContaining("bundle start crm"),
    });
    expect(loaded.shown).toEqual(loaded.skills);
    const { match } = await on.book.choose(await on.book.load(OWNER), say("a deal"), readerAs(OWNER));
    expect(match).toMatchObject({ phase: "trigger", matched: ["deal"], skill: { body: "Body of a." } });
  });

  it("name in the catalogue what their tools lack", async () => {
    const dir = makeDir({ "a.md": skillText("a", "allowed-tools: maya__*\n"), "b.md": skillText("b") });
    const { book } = openBook([dir], { missing: ["usd"] });
    const { shown } = await book.load(OWNER);
    expect(catalogueSkills(shown).map(({ name, missing }) => [name, missing])).toEqual([
      ["a", ["usd"]],
      ["b", []],
    ]);
  });
});

describe("a skill package", () => {
  it("is a skill too, as long as its text is the one that was accepted", async () => {
    const dir = makeDir({ "maya/SKILL.md": skillText("maya", PACKAGE), "maya/tools.yaml": "tools: [run]\n" });
    const accepted = hash("sha256", readFileSync(join(dir, "maya/SKILL.md")));
    const packageReason = (_: string, digest: string) => (digest === accepted ? null : "It was changed on disk.");
    const { book } = openBook([dir], { packageReason });
    const { shown } = await book.load(OWNER);
    expect(shown).toMatchObject([{ name: "maya", isPackage: true, reason: null }]);
    expect(await book.read(readerAs(OWNER), "maya", "tools.yaml")).toMatchObject({ text: "tools: [run]\n" });

    put(join(dir, "maya/SKILL.md"), skillText("maya", PACKAGE, "Do something else."));
    const changed = await book.load(OWNER);
    expect(changed.skills).toMatchObject([{ name: "maya", reason: "It was changed on disk." }]);
    expect(changed.shown).toEqual([]);
    expect((await book.choose(changed, say("/maya"), readerAs(OWNER))).match).toBeNull();
    for (const file of [null, "tools.yaml"]) {
      await expect(book.read(readerAs(OWNER), "maya", file)).rejects.toMatchObject({ kind: "not_ready" });
    }
  });
});

describe("which skill would be used", () => {
  it("is said with those that came close, the unusable ones too, and no server is asked", async () => {
    const dir = makeDir({
      "a.md": skillText("a", "allowed-tools: [crm__*]\nmetadata: {keywords: [lead, deal, sale]}\n"),
      "b.md": skillText("b", "requires-bundles: [x]\nmetadata: {triggers: [the deal]}\n"),
      "c.md": skillText("c", "metadata: {keywords: [nothing, else]}\n"),
      "bad.md": "no front matter",
    });
    const { book, asked } = openBook([dir], {
      entries: [entryOf("crm", "d", { metadata: { keywords: "deal, mail" } })],
    });
    const { warnings, ...said } = await book.match(OWNER, say("The Deal, the lead"));
    expect(said).toEqual({
      skill: { name: "a", phase: "keywords", matched: ["lead", "deal"] },
      allowedTools: ["crm__*"],
      candidates: [
        { name: "a", source: "workspace", available: true, triggers: [], keywords: ["lead", "deal"] },
        expect.objectContaining({ name: "b", available: false, reason: expect.any(String), triggers: ["the deal"] }),
        { name: "d", source: "bundle:crm", available: true, triggers: [], keywords: ["deal"] },
      ],
    });
    expect(warnings).toEqual([expect.stringContaining("bad.md is skipped")]);
    expect(asked).toEqual([]);
    expect(await book.match(OWNER, say("/c"))).toMatchObject({ skill: { name: "c" }, candidates: [{ name: "c" }] });
    expect(await book.match(OWNER, say("the deal", false))).toMatchObject({ skill: null, allowedTools: null });
    await expect(book.match(OWNER, say("", "none"))).rejects.toMatchObject({ kind: "bad_request" });
  });
});

describe("reading a skill", () => {
  it("gives its text to whom the list shows it, and to others nothing but the names that they may see", async () => {
    const dir = makeDir({ "a.md": skillText("a"), "maya/SKILL.md": skillText("maya", PACKAGE) });
    const { book } = openBook([dir]);
    expect(await book.read(readerAs(OWNER), "a", null)).toEqual({
      name: "a",
      file: null,
      text: "Body of a.",
      server: null,
    });
    expect(await book.read(readerAs(principal(["skills__read"])), "A", null)).toMatchObject({ name: "a" });
    expect(await book.read(readerAs(principal(["maya__*"])), "maya", null)).toMatchObject({ text: "Body of maya." });
    const refused = book.read(readerAs(principal(["skills__read"])), "maya", null);
    await expect(refused).rejects.toMatchObject({ kind: "not_found", details: { skills: ["a"] } });
    await expect(book.read(readerAs(principal(["x__*"])), "a", null)).rejects.toMatchObject({
      details: { skills: [] },
    });
    await expect(book.read(readerAs(OWNER), "mayo", null)).rejects.toThrow('Did you mean "maya"?');
  });
});
