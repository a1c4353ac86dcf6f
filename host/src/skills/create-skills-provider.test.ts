import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BuiltInTool } from "../kernel/built-in.ts";
import { rawMembers } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { skillFileDefect } from "../kernel/skill-rules.ts";
import type { CallFacts, ProviderMethod, ProviderRequest } from "../kernel/provider.ts";
import { createSkillsProvider, type SkillsProvider } from "./create-skills-provider.ts";
import { makeDir, manifest, namesOf, openSkills, write } from "./skills-for-tests.ts";

const ask = async (skills: SkillsProvider, method: ProviderMethod, name: string): Promise<any> => {
  const answer = await skills.send({ method, name } as ProviderRequest);
  expect(answer).toMatchObject({ kind: "result", isError: false, value: JSON.parse(answer.json) });
  return JSON.parse(answer.json);
};

const refusalOf = async (asked: Promise<unknown>): Promise<Refusal> => {
  const no = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  expect(no).toBeInstanceOf(Refusal);
  return no as Refusal;
};

const openPdf = async () => {
  const dir = makeDir();
  write(join(dir, "pdf"), {
    "SKILL.md": manifest("pdf"),
    "references/Q&A ä.md": "\uFEFFforms\r\n",
    "references/deep/x.json": "{}",
    "logo.png": new Uint8Array([0x89, 0xff, 0, 1]),
  });
  return { dir, ...(await openSkills(dir)) };
};

describe("the host's skills", () => {
  it("give out each file as it is, and a client finds it right", async () => {
    const { skills } = await openPdf();
    const { skill } = await ask(skills, "skills/get", "skill://pdf/SKILL.md");
    expect(skill).toEqual(skills.catalogue().skills?.[0]?.value);
    expect(skill.resources).toHaveLength(4);
    for (const { uri } of skill.resources as { uri: string }[]) {
      const result = await ask(skills, "resources/read", uri);
      expect(await skillFileDefect({ skill, uri, result })).toBeNull();
    }
    const [{ contents: png }, { contents: text }] = await Promise.all([
      ask(skills, "resources/read", "skill://pdf/logo.png"),
      ask(skills, "resources/read", "skill://pdf/references/Q&A ä.md"),
    ]);
    expect(png).toEqual([{ uri: "skill://pdf/logo.png", mimeType: "image/png", blob: "if8AAQ==" }]);
    expect(text).toEqual([
      { uri: "skill://pdf/references/Q&A%20%C3%A4.md", mimeType: "text/markdown", text: "\uFEFFforms\r\n" },
    ]);
  });

  it("list their folders", async () => {
    const { skills } = await openPdf();
    const { resources } = await ask(skills, "resources/directory/read", "skill://pdf");
    expect(resources).toEqual([
      { uri: "skill://pdf/SKILL.md", name: "SKILL.md", mimeType: "text/markdown", size: manifest("pdf").length },
      { uri: "skill://pdf/logo.png", name: "logo.png", mimeType: "image/png", size: 4 },
      { uri: "skill://pdf/references", name: "references", mimeType: "inode/directory" },
    ]);
    const below = await ask(skills, "resources/directory/read", "skill://pdf/references/");
    expect(below.resources.map(({ name }: { name: string }) => name)).toEqual(["Q&A ä.md", "deep"]);
  });

  it.each<[ProviderMethod, string]>([
    ["resources/read", "skill://pdf/../../secret"],
    ["resources/read", "skill://pdf/%2e%2e/secret"],
    ["resources/read", "skill://pdf/..%2f..%2fsecret"],
    ["resources/read", "skill://pdf/references"],
    ["resources/read", "skill://other/SKILL.md"],
    ["resources/read", "file:///etc/passwd"],
    ["resources/read", ""],
    ["skills/get", "skill://pdf/logo.png"],
    ["skills/get", "skill://pdf"],
    ["resources/directory/read", "skill://"],
    ["resources/directory/read", "skill://pdf/logo.png"],
    ["resources/directory/read", "__proto__"],
  ])("answer %s of %j with a no", async (method, uri) => {
    const { dir, skills } = await openPdf();
    write(dir, { secret: "secret" });
    const no = await refusalOf(ask(skills, method, uri));
    expect(no).toMatchObject({ kind: "resource_not_found", details: { uri } });
  });

  it("withhold a file that is not what was listed, and list it anew", async () => {
    const { dir, skills, changes } = await openPdf();
    writeFileSync(join(dir, "pdf", "logo.png"), "another");
    const no = await refusalOf(ask(skills, "resources/read", "skill://pdf/logo.png"));
    expect(no).toMatchObject({ kind: "skill_digest_mismatch", retryable: true });
    await skills.refresh();
    expect(changes()).toBe(2);
    expect((await ask(skills, "resources/read", "skill://pdf/logo.png")).contents[0].text).toBe("another");
  });

  it("withhold a file in whose place a link was put, and one that is gone", async () => {
    const { dir, skills } = await openPdf();
    write(dir, { secret: "secret" });
    rmSync(join(dir, "pdf", "logo.png"));
    symlinkSync(join(dir, "secret"), join(dir, "pdf", "logo.png"));
    renameSync(join(dir, "pdf", "references"), join(dir, "pdf", "moved"));
    for (const uri of ["skill://pdf/logo.png", "skill://pdf/references/deep/x.json"]) {
      expect((await refusalOf(ask(skills, "resources/read", uri))).kind).toMatch(/mismatch|not_found/);
    }
    await skills.refresh();
    expect(skills.catalogue().skills).toBeNull();
  });

  it("have no tools", async () => {
    const { skills } = await openPdf();
    expect((await refusalOf(ask(skills, "tools/call", "x"))).kind).toBe("upstream_failed");
    expect(skills.catalogue()).toMatchObject({ tools: [], prompts: [], templates: [] });
    expect(skills.name).toBe("skills");
  });
});

describe("a host without skills", () => {
  it("is ready, says that it has none, and offers nothing", async () => {
    const dir = makeDir();
    const { skills } = await openSkills(dir, join(dir, "missing"));
    expect(skills.status()).toMatchObject({ state: "running", version: "1.2.3" });
    expect(skills.catalogue()).toMatchObject({ skills: null, resources: [], directories: false, defects: [] });
  });

  it("has its tools from the first moment on, and goes on having them with the first skill", async () => {
    const dir = makeDir();
    const read: BuiltInTool = {
      definition: { name: "read", description: "Reads one.", inputSchema: { type: "object" } },
      run: async (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }),
    };
    const options = { dirs: () => [dir], version: "1", onChange: () => {}, report: () => {}, checkMs: 60_000 };
    const skills = createSkillsProvider({ ...options, tools: [read] });
    onTestFinished(() => skills.close());
    const names = () => skills.catalogue().tools.map(({ name }) => name);
    expect(names()).toEqual(["read"]);
    write(dir, { "a/SKILL.md": manifest("a") });
    await skills.refresh();
    expect([names(), namesOf(skills)]).toEqual([["read"], ["a"]]);
    const listed = skills.catalogue();
    await skills.refresh();
    expect(skills.catalogue()).toBe(listed);
    const params = rawMembers('"name":"read","arguments":{"name":"a"}');
    const facts = () => ({}) as CallFacts;
    const answer = await skills.send({ method: "tools/call", name: "read", params, facts } as ProviderRequest);
    expect(answer).toMatchObject({ kind: "result", value: { content: [{ text: '{"name":"a"}' }] } });
  });

  it("finds by itself what is put there later", async () => {
    const dir = makeDir();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const skills = createSkillsProvider({
      dirs: () => [join(dir, "skills")],
      version: "1",
      tools: [],
      onChange: () => skills.catalogue().skills !== null && resolve(),
      report: reject,
      checkMs: 10,
    });
    await skills.whenReady(10_000, new AbortController().signal);
    write(dir, { "skills/a/SKILL.md": manifest("a") });
    await promise.finally(() => skills.close());
    expect(namesOf(skills)).toEqual(["a"]);
  });
});
