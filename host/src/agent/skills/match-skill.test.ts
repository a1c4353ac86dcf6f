import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import type { AgentSkill } from "./agent-skill.ts";
import { matchSkill, type SkillWish } from "./match-skill.ts";
import { catalogueSkills, contextSkills } from "./skills-in-prompt.ts";
import { whyUnavailable } from "./why-unavailable.ts";

const skill = (name: string, more: Partial<AgentSkill> = {}): AgentSkill => ({
  name,
  description: "",
  version: "0.0.0",
  type: "skill",
  priority: 50,
  allowedTools: null,
  requiresBundles: [],
  triggers: [],
  keywords: [],
  metadata: {},
  body: "",
  ...more,
});

const match = (skills: readonly AgentSkill[], message: string, explicit: SkillWish["explicit"] = null) => {
  const found = matchSkill(skills, { message, explicit });
  return found === null ? null : [found.skill.name, found.phase, ...found.matched];
};

const LEADS = skill("leads", { keywords: ["lead", "prospect", "crm"], triggers: ["qualify this"] });
const REPORT = skill("report", {
  keywords: ["report", "lead", "crm", "quarter"],
  triggers: ["write a report", "Summary"],
});
const SOUL = skill("soul", { type: "context", triggers: ["report"], keywords: ["write", "report"] });
const ALL = [SOUL, LEADS, REPORT];

describe("a message", () => {
  test.each([
    ["please WRITE A REPORT now", ["report", "trigger", "write a report"]],
    ["a summary", ["report", "trigger", "Summary"]],
    ["summary: qualify this", ["leads", "trigger", "qualify this"]],
    ["lead lead lead", null],
    ["leading prospects", ["leads", "keywords", "lead", "prospect"]],
    ["crm lead", ["leads", "keywords", "lead", "crm"]],
    ["crm lead of the quarter", ["report", "keywords", "lead", "crm", "quarter"]],
    ["lead prospect crm report quarter", ["report", "keywords", "report", "lead", "crm", "quarter"]],
    ["lead prospect crm report quarter, qualify this", ["leads", "trigger", "qualify this"]],
    ["write", null],
    ["", null],
  ])("%j matches %j", (message, expected) => {
    expect(match(ALL, message)).toEqual(expected);
  });

  it("matches the earlier loaded of two with as many keywords, whatever their priority", () => {
    const late = skill("late", { keywords: ["a1", "b1"], priority: 0 });
    const early = skill("early", { keywords: ["b1", "a1"], priority: 99 });
    expect(match([early, late], "a1 b1")).toEqual(["early", "keywords", "b1", "a1"]);
    expect(match([late, early], "a1 b1")).toEqual(["late", "keywords", "a1", "b1"]);
  });

  it("is compared without regard to case and to how accents are written", () => {
    const cafe = skill("cafe", { triggers: ["cafe\u0301"] });
    expect(match([cafe], "Ein CAF\u00c9 bitte")?.[0]).toBe("cafe");
    expect(match([cafe], "Ein cafe bitte")).toBeNull();
  });

  it("is not matched by blank triggers and keywords", () => {
    const blank = skill("blank", { triggers: ["", " ", "\u200b"], keywords: ["", " ", "\t", "x"] });
    expect(match([blank], "any x text \t\u200b here")).toBeNull();
  });

  it("counts a keyword that stands twice once", () => {
    expect(match([skill("twice", { keywords: ["Lead", "lead", "LEAD"] })], "lead")).toBeNull();
  });
});

describe("a skill that is asked for by name", () => {
  const named = [skill("rep"), skill("report"), skill("report weekly"), skill("Report", { triggers: ["hello"] }), SOUL];

  test.each([
    ["/report hello", ["report", "explicit", "report"]],
    ["/Report", ["Report", "explicit", "Report"]],
    ["/REPORT\nnow", ["report", "explicit", "report"]],
    ["/report weekly please", ["report weekly", "explicit", "report weekly"]],
    ["/rep hello", ["rep", "explicit", "rep"]],
    ["/reporting", null],
    ["/report/file", null],
    ["/soul", null],
    ["/", null],
    [" /report", null],
    ["/unknown hello", ["Report", "trigger", "hello"]],
  ])("by the message %j", (message, expected) => {
    expect(match(named, message)).toEqual(expected);
  });

  it("by the request wins over what the message says", () => {
    expect(match(named, "/rep hello", "report weekly")).toEqual(["report weekly", "explicit", "report weekly"]);
  });

  it("is none where the request says false", () => {
    expect(match(named, "/rep hello", false)).toBeNull();
  });

  test.each(["nothing", "", "soul"])("and is not there is refused with the names there are: %j", (name) => {
    const ask = (): unknown => match(named, "hello", name);
    expect(ask).toThrow(Refusal);
    expect(ask).toThrow(expect.objectContaining({ kind: "bad_request", next: expect.stringContaining("rep, report") }));
  });
});

it("matching agrees with the rules written down plainly", () => {
  const word = fc.constantFrom("a", "b", "ab", "B", " ", "c d", "");
  const skills = fc.array(
    fc.record({ triggers: fc.array(word, { maxLength: 2 }), keywords: fc.array(word, { maxLength: 5 }) }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(skills, fc.stringMatching(/^[abcdx ]{0,6}$/), (lists, message) => {
      const given = lists.map((each, i) => skill(`s${i}`, each));
      const has = (text: string): boolean => text.trim() !== "" && message.includes(text.toLowerCase());
      const hits = given.map(({ keywords }) => new Set(keywords.map((each) => each.toLowerCase()).filter(has)).size);
      const best = Math.max(...hits, 0);
      const expected =
        given.find(({ triggers }) => triggers.some(has)) ?? (best < 2 ? undefined : given[hits.indexOf(best)]);
      expect(match(given, message)?.[0]).toBe(expected?.name);
    }),
  );
});

describe("skills in the prompt", () => {
  it("are the context skills by priority, then in load order, and those that only the model can choose", () => {
    const skills = [
      skill("late", { type: "context", priority: 60 }),
      skill("b", { type: "context", priority: 5 }),
      LEADS,
      skill("a", { type: "context", priority: 5 }),
      skill("pdf"),
      skill("first", { type: "context", priority: -1 }),
    ];
    expect(contextSkills(skills).map(({ name }) => name)).toEqual(["first", "b", "a", "late"]);
    expect(catalogueSkills(skills).map(({ name }) => name)).toEqual(["pdf"]);
  });

  it("that need a bundle which is not running say which one and how to start it", () => {
    const needs = skill("x", { requiresBundles: ["todo", "crm"] });
    expect(whyUnavailable(needs, new Set(["todo", "crm", "echo"]))).toBeNull();
    expect(whyUnavailable(needs, new Set(["crm"]))).toBe(
      "It needs the bundle todo, which is not running; start it with: bailiwick bundle start todo",
    );
    expect(whyUnavailable(needs, new Set())).toContain("todo, crm");
  });
});
