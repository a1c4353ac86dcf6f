import { describe, expect, it, test } from "vitest";
import { readFlatSkill } from "./read-flat-skill.ts";
import { readFolderSkill } from "./read-folder-skill.ts";
import { SkillFindings } from "./skill-findings.ts";

const PATH = "/skills/a.md";
const flat = async (text: string | Buffer) => {
  const findings = new SkillFindings(PATH);
  return { skill: await readFlatSkill(Buffer.from(text as string), findings), warnings: findings.all() };
};
const folder = async (text: string, name = "pdf-tools") => {
  const findings = new SkillFindings(PATH);
  return { skill: await readFolderSkill(Buffer.from(text), name, findings), warnings: findings.all() };
};
const front = (yaml: string, body = "Do it."): string => `---\n${yaml}\n---\n${body}`;

describe("a Markdown skill", () => {
  it("with its name alone has the defaults", async () => {
    expect(await flat(front("name: report"))).toEqual({
      skill: {
        name: "report",
        description: "",
        version: "0.0.0",
        type: "skill",
        priority: 50,
        allowedTools: null,
        requiresBundles: [],
        triggers: [],
        keywords: [],
        metadata: {},
        body: "Do it.",
      },
      warnings: [],
    });
  });

  it("is read whole", async () => {
    const yaml = [
      "name: report",
      "description: Writes reports.",
      "version: 1.10",
      "type: context",
      "priority: 7",
      "allowed-tools: [todo__*, crm__get]",
      "requires-bundles: [todo]",
      "metadata:",
      "  triggers: [write a report, '', Write A Report, '  ']",
      "  keywords: [lead, crm]",
      "  author: ann",
      "  deep: {a: [1]}",
    ].join("\r\n");
    const { skill } = await flat(`\uFEFF---\r\n${yaml}\r\n---\r\n\r\n# Body\r\n---\r\nmore\r\n`);
    expect(skill).toMatchObject({
      version: "1.10",
      type: "context",
      priority: 7,
      allowedTools: ["todo__*", "crm__get"],
      requiresBundles: ["todo"],
      triggers: ["write a report"],
      keywords: ["lead", "crm"],
      metadata: { author: "ann", deep: { a: [1] } },
      body: "# Body\r\n---\r\nmore",
    });
  });

  test.each([
    ["no front matter", "# Hello", "does not begin with front matter"],
    ["an empty file", "", "does not begin with front matter"],
    ["front matter that does not end", "---\nname: a\n", "does not end"],
    ["broken YAML", front("name: [a"), "mend line"],
    ["an alias where a glob was meant", front("name: a\nallowed-tools: *"), "no usable YAML"],
    ["a key that stands twice", front("name: a\nname: b"), "stands there twice"],
    ["YAML that is no mapping", front("- name"), "no mapping"],
    ["no name", front("description: x"), "no name"],
    ["an empty name", front("name: '  '"), "no name"],
    ["a name that is no text", front("name: [a]"), "no name"],
    ["too long a body", front("name: a", "x".repeat(32_001)), "more than 32000 characters"],
    ["too large a file", front(`name: a\ndescription: ${"x".repeat(262_144)}`), "more than 262144 bytes"],
    ["a billion laughs", front(bomb()), "too large"],
  ])("with %s is skipped, and the warning names the file", async (_, text, reason) => {
    const { skill, warnings } = await flat(text);
    expect(skill).toBeNull();
    expect(warnings[0]).toMatch(/^\/skills\/a\.md is skipped: /);
    expect(warnings[0]).toContain(reason);
  });

  it("that is not UTF-8 is skipped", async () => {
    const { skill, warnings } = await flat(Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]));
    expect([skill, warnings]).toEqual([null, [`${PATH} is skipped: it is not UTF-8; save it as UTF-8.`]]);
  });

  it("with a body of 32,000 characters, of two units each, is read", async () => {
    expect((await flat(front("name: a", "😀".repeat(32_000)))).skill?.body).toHaveLength(64_000);
  });

  test.each([
    ["type: other", { type: "skill" }, 'type "other" counts as skill'],
    ["priority: high", { priority: 50 }, "priority has to be a number"],
    ["priority: '7'", { priority: 50 }, "priority has to be a number"],
    ["priority: .inf", { priority: 50 }, "priority has to be a number"],
    ["type: context\npriority: 40", { type: "context", priority: 40 }, "priority 40, and included all the same"],
    ["metadata: [a]", { metadata: {} }, "metadata has to be a mapping"],
    ["metadata: {triggers: [5, ok]}", { triggers: ["ok"] }, 'metadata.triggers: "5" is no text'],
    ["metadata: {keywords: {a: b}}", { keywords: [] }, "metadata.keywords has to be a list"],
    ["descripton: x", { description: "" }, '"descripton" means nothing here; did you mean description?'],
    ["triggers: [a]", { triggers: [] }, "did you mean metadata.triggers?"],
    ["__proto__: {a: 1}", {}, '"__proto__" means nothing here; take it out.'],
    ["description: [a]", { description: "" }, "description has to be a text"],
  ])("with %j is read with a warning", async (yaml, expected, warning) => {
    const { skill, warnings } = await flat(front(`name: a\n${yaml}`));
    expect(skill).toMatchObject({ name: "a", ...expected });
    expect(warnings).toEqual([expect.stringContaining(`${PATH}: `)]);
    expect(warnings[0]).toContain(warning);
  });

  test.each([
    ["allowed-tools: []", []],
    ["allowed-tools:", []],
    ["allowed-tools: ''", []],
    ["allowed-tools: 5", []],
    ["allowed-tools: {a: b}", []],
    ["allowed-tools: [5, '', true]", []],
    ["allowed-tools: [5, a__b]", ["a__b"]],
    ["allowed_tools: a__b", ["a__b"]],
    ["allowed-tools: a__* b__c", ["a__*", "b__c"]],
  ])("with %j never allows more than that", async (yaml, expected) => {
    const { skill, warnings } = await flat(front(`name: a\n${yaml}`));
    expect(skill?.allowedTools).toEqual(expected);
    if (expected.length === 0) expect(warnings.at(-1)).toContain("leaves only nb__*");
  });

  it("whose name has line breaks is known by one line", async () => {
    const { skill, warnings } = await flat(front('name: "a\\n---\\nb"'));
    expect(skill?.name).toBe("a --- b");
    expect(warnings).toEqual([`${PATH}: its name counts as "a --- b"; write it so.`]);
  });

  it("with endless lists and faults is cut, and says so", async () => {
    const numbers = Array.from({ length: 500 }, (_, i) => `word${i}`).join(", ");
    const { skill, warnings } = await flat(
      front(`name: a\nmetadata: {triggers: [${numbers}], keywords: [${"1, ".repeat(99)}]}`),
    );
    expect(skill?.triggers).toHaveLength(200);
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toMatch(/more warnings\.$/);
  });
});

describe("the SKILL.md of a folder", () => {
  it("is read as the format has it, with lists as texts", async () => {
    const yaml = [
      "name: pdf-tools",
      "description: Reads PDF.",
      "license: MIT",
      "compatibility: any",
      "allowed-tools: files__* crm__get",
      "metadata: {triggers: 'read pdf, ,fill form', keywords: [pdf, form], type: context, priority: '3', version: 2.0}",
    ].join("\n");
    const { skill, warnings } = await folder(front(yaml));
    expect(warnings).toEqual([expect.stringContaining("a blank entry is dropped")]);
    expect(skill).toMatchObject({
      name: "pdf-tools",
      version: "2.0",
      type: "context",
      priority: 3,
      allowedTools: ["files__*", "crm__get"],
      triggers: ["read pdf", "fill form"],
      keywords: ["pdf", "form"],
    });
  });

  it("without a name has that of its folder", async () => {
    expect((await folder(front("description: x"))).skill?.name).toBe("pdf-tools");
  });

  it("narrows by names of tools here, and nothing else in allowed-tools counts", async () => {
    const words = "Read Bash(git:*) mcp__a__b * files__read* Edit* *__get";
    const { skill, warnings } = await folder(front(`description: x\nallowed-tools: ${words}`));
    expect(skill?.allowedTools).toEqual(["mcp__a__b", "*", "files__read*", "*__get"]);
    expect(warnings.map((each) => /"([^"]*)" is no name/.exec(each)?.[1])).toEqual(["Read", "Bash(git:*)", "Edit*"]);
  });

  it("whose allowed-tools are all of another program is left with the host's own", async () => {
    const { skill, warnings } = await folder(front("description: x\nallowed-tools: Read Grep"));
    expect(skill?.allowedTools).toEqual([]);
    expect(warnings.at(-1)).toContain("leaves only nb__*");
  });

  test.each([
    ["name: PDF Tools\ndescription: x", "its name should be"],
    ["name: a--b\ndescription: x", "its name should be"],
    ["name: a", "its description should have"],
    [`description: ${"x".repeat(1_025)}`, "its description should have"],
    [`description: x\ncompatibility: ${"x".repeat(501)}`, "compatibility should have"],
    ["description: x\nversion: 1", "did you mean metadata.version?"],
    ["description: x\nrequires-bundles: [a]", '"requires-bundles" means nothing here'],
  ])("that deviates is read with a warning", async (yaml, warning) => {
    const { skill, warnings } = await folder(front(yaml));
    expect(skill).not.toBeNull();
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });
});

/** Each line is ten of the line before. */
function bomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 10; i++) lines.push(`a${i}: &a${i} [${`*a${i - 1}, `.repeat(10)}]`);
  return `name: a\n${lines.join("\n")}`;
}
