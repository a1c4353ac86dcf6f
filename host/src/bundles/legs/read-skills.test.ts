import { describe, expect, it } from "vitest";
import { rawJson } from "../../kernel/raw-json.ts";
import { readSkills } from "./read-skills.ts";

const DIGEST = `sha256:${"0".repeat(64)}`;
const skill = (name: string, more: object = {}) => ({
  uri: `skill://${name}/SKILL.md`,
  frontmatter: { name, description: "D" },
  resources: [{ uri: `skill://${name}/SKILL.md`, digest: DIGEST, size: 1 }],
  ...more,
});

const read = async (...entries: readonly (object | string)[]) => {
  const defects: string[] = [];
  const texts = entries.map((entry) => (typeof entry === "string" ? entry : JSON.stringify(entry)));
  const pages = {
    entries: texts.map((text) => ({ json: rawJson(text), value: JSON.parse(text) as unknown })),
    defects: [],
  };
  return { skills: await readSkills(pages, defects), defects };
};

describe("readSkills", () => {
  it("keeps an entry as the text it came as", async () => {
    const text = JSON.stringify(skill("a", { "x-odd": "1.0" }))
      .replace('"1.0"', "1.0")
      .replace("{", "{ ");
    const { skills, defects } = await read(text, skill("b", { resources: "dynamic" }));
    expect(skills.map((entry) => entry.uri)).toEqual(["skill://a/SKILL.md", "skill://b/SKILL.md"]);
    expect(skills[0]?.json).toBe(text);
    expect(defects).toEqual([]);
  });

  it.each([
    ['"text"', /not an object/],
    ["{}", /skill without a uri: /],
    [skill("a", { uri: "skill://a/README.md" }), /must be a URI ending in \/SKILL.md/],
    [skill("a", { frontmatter: { name: "b", description: "D" } }), /must match the last path segment/],
    [skill("a", { frontmatter: { name: "a" } }), /description/],
    [skill("a", { resources: [] }), /must include skill:\/\/a\/SKILL.md/],
    [skill("a", { resources: [{ uri: "skill://a/SKILL.md", digest: "md5:0", size: 1 }] }), /digest/],
    [skill("a", { resources: undefined }), /resources/],
    [JSON.stringify(skill("a")).replace("{", '{"uri":"skill://z/SKILL.md",'), /repeats a member/],
  ])("leaves out %j, says why, and keeps the others", async (entry, why) => {
    const { skills, defects } = await read(skill("before"), entry, skill("after"));
    expect(skills.map(({ uri }) => uri)).toEqual(["skill://before/SKILL.md", "skill://after/SKILL.md"]);
    expect(defects).toHaveLength(1);
    expect(defects[0]).toMatch(why);
  });

  it("judges many in steps and stops at a bound", async () => {
    const files = (name: string) =>
      Array.from({ length: 400 }, (_, i) => ({
        uri: `skill://${name}/${i === 0 ? "SKILL.md" : i}`,
        digest: DIGEST,
        size: 1,
      }));
    const many = Array.from({ length: 60 }, (_, i) => skill(`s-${i}`, { resources: files(`s-${i}`) }));
    const { skills, defects } = await read(...many);
    expect(skills.length).toBeGreaterThan(40);
    expect(skills.length).toBeLessThan(52);
    expect(skills.length + defects.length).toBe(60);
    expect(defects[0]).toContain("20000 files");
  });
});
