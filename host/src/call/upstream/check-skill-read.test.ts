import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EMPTY_CATALOGUE, type Provider } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Opened } from "../../kernel/stages.ts";
import { checkSkillRead } from "./check-skill-read.ts";

const SKILL_MD = "---\nname: brew\ndescription: Makes tea\nmetadata:\n  kind: hot\n---\nBoil.\n";
const GUIDE = "pour é\n";
const PICTURE = Buffer.from([0, 255, 7, 128]);

const file = (path: string, bytes: string | Buffer) => ({
  uri: `skill://tea/brew/${path}`,
  digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
  size: Buffer.byteLength(bytes),
});
const entry = {
  uri: "skill://tea/brew/SKILL.md",
  frontmatter: { description: "Makes tea", name: "brew", metadata: { kind: "hot" } },
  resources: [file("SKILL.md", SKILL_MD), file("ref/GUIDE.md", GUIDE), file("a&b.png", PICTURE)] as unknown,
};

const read = async (uri: string, content: object, skill: object = entry, operation = "read"): Promise<string> => {
  const skills = [{ json: rawJson(JSON.stringify(skill)), value: skill as Record<string, unknown>, uri: entry.uri }];
  const provider = { name: "p", catalogue: () => ({ ...EMPTY_CATALOGUE, skills }) } as unknown as Provider;
  try {
    await checkSkillRead({ target: { provider, name: uri }, operation } as Opened, { contents: [{ uri, ...content }] });
    return "given out";
  } catch (no) {
    if (!(no instanceof Refusal)) throw no;
    return `${no.kind}: ${no.message}`;
  }
};
const at = (path: string): string => `skill://tea/brew/${path}`;

describe("a file of a skill", () => {
  it("is given out when it is what the entry says", async () => {
    expect(await read(at("SKILL.md"), { text: SKILL_MD })).toBe("given out");
    expect(await read(at("ref/GUIDE.md"), { text: GUIDE, mimeType: "text/markdown" })).toBe("given out");
    expect(await read(at("a&b.png"), { blob: PICTURE.toString("base64") })).toBe("given out");
    expect(await read(at("a%26b.png"), { blob: PICTURE.toString("base64") })).toBe("given out");
  });

  it.each([
    [at("ref/GUIDE.md"), { text: `${GUIDE} ` }, /is 9 bytes; the skill entry lists 8/],
    [at("ref/GUIDE.md"), { text: "pour è\n" }, /has digest sha256:/],
    [at("a&b.png"), { blob: Buffer.from([0, 255, 7, 129]).toString("base64") }, /has digest sha256:/],
    [at("a%26b.png"), { blob: "AA==" }, /is 1 bytes/],
    [at("SKILL.md"), { text: SKILL_MD.replace("Boil", "Boij") }, /has digest sha256:/],
    [at("hidden.sh"), { text: "rm" }, /is not a file of the skill/],
    [at("x/../hidden.sh"), { text: "rm" }, /is not a file of the skill/],
    [at("ref/GUIDE.md"), {}, /contents|Invalid|invalid/],
    [at("a&b.png"), { blob: "not base64!" }, /base64/i],
  ])("is withheld at %s with %j", async (uri, content, why) => {
    const said = await read(uri, content);
    expect(said).toMatch(/^skill_digest_mismatch: /);
    expect(said).toMatch(why);
  });

  it("is withheld when the server answers with another file's contents", async () => {
    expect(await read(at("ref/GUIDE.md"), { uri: at("other.md"), text: GUIDE })).toMatch(/^skill_digest_mismatch/);
  });

  it("is checked for its front matter though nothing else is promised", async () => {
    const dynamic = { ...entry, resources: "dynamic" };
    expect(await read(at("SKILL.md"), { text: SKILL_MD }, dynamic)).toBe("given out");
    expect(await read(at("any.md"), { text: "whatever" }, dynamic)).toBe("given out");
    const changed = await read(at("SKILL.md"), { text: SKILL_MD.replace("tea", "coffee") }, dynamic);
    expect(changed).toMatch(/^skill_digest_mismatch: .*description/);
    expect(await read(at("SKILL.md"), { text: "no front matter" }, dynamic)).toMatch(/^skill_digest_mismatch/);
  });

  it("is none when it lies outside every skill, or is not read", async () => {
    for (const uri of ["skill://tea/brewery/x", "skill://tea/other", "file:///x", "no uri", ""])
      expect(await read(uri, { text: "x" })).toBe("given out");
    expect(await read(at("ref/GUIDE.md"), { text: "x" }, entry, "complete")).toBe("given out");
  });
});
