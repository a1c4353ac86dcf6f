import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import { serverSkills } from "./server-skills.ts";
import { entryOf, makeDir, openBook, OWNER, readerAs, skillText } from "./skill-book-for-tests.ts";

const say = (message: string, explicit: string | false | null = null) => ({ message, explicit });
const triggers = (...words: string[]) => ({ metadata: { triggers: words.join(",") } });
const uri = (provider: string, name: string, file = "SKILL.md") => `skill://${provider}/${name}/${file}`;

describe("a skill that a server supplies", () => {
  it("never stands in for one on the disk, nor for one of an earlier server", async () => {
    const dir = makeDir({ "a.md": skillText("a") });
    const { book } = openBook([dir], { entries: [entryOf("crm", "a"), entryOf("crm", "b"), entryOf("mail", "b")] });
    const { skills, warnings } = await book.load(OWNER);
    expect(skills.map(({ name, server }) => [name, server])).toEqual([
      ["a", null],
      ["b", "crm"],
    ]);
    expect(warnings).toEqual([
      `skill a: the one of crm is not used, since ${dir}/a.md has it.`,
      "skill b: the one of mail is not used, since crm has it.",
    ]);
  });

  it("takes no message by its words from one on the disk", async () => {
    const local = makeDir({ "own.md": skillText("own", "metadata: {keywords: [deal, price]}\n") });
    const texts = { [uri("crm", "deals")]: skillText("deals") };
    const { book } = openBook([local], { entries: [entryOf("crm", "deals", triggers("deal"))], texts });
    const loaded = await book.load(OWNER);
    const chosen = async (message: string) =>
      (await book.choose(loaded, say(message), readerAs(OWNER))).match?.skill.name;
    expect(await chosen("the price of the deal")).toBe("own");
    expect(await chosen("the deal")).toBe("deals");
    expect(await chosen("/deals the price of the deal")).toBe("deals");
  });

  it("has no trigger or keyword that is in nearly every message", () => {
    const metadata = { triggers: "e, the, deal", keywords: "a,b,cd, offer" };
    const { skills, warnings } = serverSkills(JSON.stringify([entryOf("crm", "x", { metadata })]));
    expect(skills).toMatchObject([{ triggers: ["deal"], keywords: ["offer"] }]);
    expect(warnings).toHaveLength(5);
    expect(warnings[0]).toContain('triggers: "e" is dropped');
  });

  it("is read from its server when it is chosen, and only then", async () => {
    const texts = { [uri("crm", "deals")]: skillText("deals", "", "Look at the deals.") };
    const { book, asked } = openBook([], { entries: [entryOf("crm", "deals", triggers("deal"))], texts });
    const loaded = await book.load(OWNER);
    expect((await book.choose(loaded, say("hello"), readerAs(OWNER))).match).toBeNull();
    expect(asked).toEqual([]);
    const { match } = await book.choose(loaded, say("the deal"), readerAs(OWNER));
    expect(match?.skill).toMatchObject({ name: "deals", server: "crm", body: "Look at the deals.", path: null });
    expect(asked).toEqual([`crm ${uri("crm", "deals")}`]);
  });

  it("is not matched while its bundle is not running, and nobody asks for its text", async () => {
    const { book, asked } = openBook([], { entries: [entryOf("crm", "deals", triggers("deal"))], running: [] });
    const loaded = await book.load(OWNER);
    expect(loaded.skills).toMatchObject([{ name: "deals", reason: expect.stringContaining("bundle start crm") }]);
    expect(loaded.shown).toHaveLength(1);
    expect((await book.choose(loaded, say("deal"), readerAs(OWNER))).match).toBeNull();
    expect(asked).toEqual([]);
  });

  it("that cannot be read leaves the message to the next that matches, and asks its server once", async () => {
    const entries = ["a", "b"].map((name) => entryOf("crm", name, triggers("deal")));
    const mail = entryOf("mail", "m", triggers("deal"));
    const texts = { [uri("mail", "m")]: skillText("m") };
    const { book, asked } = openBook([], { entries: [...entries, mail], texts });
    const loaded = await book.load(OWNER);
    const { match, unreadable } = await book.choose(loaded, say("a deal"), readerAs(OWNER));
    expect(match?.skill.name).toBe("m");
    expect(unreadable).toEqual([{ name: "a", reason: "crm is not running." }]);
    expect(asked).toHaveLength(2);
    await expect(book.choose(loaded, say("", "b"), readerAs(OWNER))).rejects.toMatchObject({
      kind: "bad_request",
      message: expect.stringContaining("crm is not running."),
    });
  });

  it.each([
    ["has no front matter", "just text"],
    ["is too long", skillText("a", "", "x".repeat(32_001))],
  ])("whose text %s is not used", async (_, text) => {
    const texts = { [uri("crm", "a")]: text };
    const { book } = openBook([], { entries: [entryOf("crm", "a", triggers("deal"))], texts });
    const { match, unreadable } = await book.choose(await book.load(OWNER), say("deal"), readerAs(OWNER));
    expect([match, unreadable.length]).toEqual([null, 1]);
  });

  it("ends the message where nothing can be recorded any more, or the host has a bug", async () => {
    const no = new Refusal("evidence_unavailable", { message: "No.", next: "Mend it." });
    for (const error of [no, new Error("a bug")]) {
      const readServerSkill = () => Promise.reject(error);
      const { book } = openBook([], { entries: [entryOf("crm", "a", triggers("deal"))], readServerSkill });
      await expect(book.choose(await book.load(OWNER), say("deal"), readerAs(OWNER))).rejects.toBe(error);
    }
  });

  it("cannot make itself part of every prompt, and narrows to globs of tools alone", () => {
    const fields = { metadata: { type: "context", priority: "1" }, "allowed-tools": "crm__* Bash(git:*)" };
    const { skills, warnings } = serverSkills(JSON.stringify([entryOf("crm", "a", fields)]));
    expect(skills).toMatchObject([{ type: "skill", allowedTools: ["crm__*"], body: "" }]);
    expect(warnings.join("\n")).toMatch(/cannot make it a context skill/);
    expect(warnings.join("\n")).toMatch(/Bash.*nothing is approved by it/);
  });

  it("gives out the files that its entry lists, by their plain names, and no others", async () => {
    const texts = { [uri("crm", "a")]: skillText("a"), [uri("crm", "a", "references/a%20b.md")]: "More." };
    const { book, asked } = openBook([], { entries: [entryOf("crm", "a")], texts });
    expect(await book.read(readerAs(OWNER), "a", null)).toMatchObject({ text: "Body of a.", server: "crm" });
    expect(await book.read(readerAs(OWNER), "a", "references/a b.md")).toMatchObject({ text: "More." });
    const before = asked.length;
    for (const file of ["../b/SKILL.md", "references/a%20b.md", "other.md", "/etc/passwd", ""]) {
      await expect(book.read(readerAs(OWNER), "a", file)).rejects.toMatchObject({ kind: "not_found" });
    }
    expect(asked).toHaveLength(before);
  });

  it("whose files nobody lists is asked below its own folder alone", async () => {
    const entry = { ...entryOf("crm", "a"), resources: "dynamic" };
    const { book, asked } = openBook([], { entries: [entry], texts: { [uri("crm", "a", "x/a%3Fb")]: "Found." } });
    expect(await book.read(readerAs(OWNER), "a", "x/a?b")).toMatchObject({ text: "Found." });
    await expect(book.read(readerAs(OWNER), "a", "x/../../b")).rejects.toMatchObject({ kind: "not_found" });
    expect(asked).toEqual([`crm ${uri("crm", "a", "x/a%3Fb")}`]);
  });

  it("is never more than text, whatever its entry says; what the host serves itself is none", () => {
    expect(serverSkills(JSON.stringify([entryOf("skills", "own")])).skills).toEqual([]);
    const entry = fc.record({
      uri: fc.string(),
      frontmatter: fc.jsonValue(),
      resources: fc.jsonValue(),
      _meta: fc.constant({ "dev.bailiwick/provider": "crm" }),
    });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        for (const { type, name, triggers: words, body } of serverSkills(JSON.stringify(entries)).skills) {
          expect([type, body, name === ""]).toEqual(["skill", "", false]);
          expect(words.every((word) => word.trim() !== "")).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
