import { beforeEach, describe, expect, it } from "vitest";
import type { SkillSeen } from "../kernel/skill-admin.ts";
import { ask as askOf, documentAt, openPlace, readAt as readOf } from "./resources/provider-for-tests.ts";
import type { ComposeProvider } from "./create-compose-provider.ts";
import type { DocumentReader } from "./documents/document-shelf.ts";
import { DocumentText } from "./documents/document-text.ts";
import { skillsDocument } from "./skills-document.ts";

const URI = "capabilities://skills";

const skill: SkillSeen = {
  name: "maya",
  kind: "package",
  type: "skill",
  priority: 50,
  description: "For Maya.",
  source: "config",
  dcc: "maya",
  tools: ["maya__import"],
  required_capabilities: ["usd"],
  missing_capabilities: ["usd"],
  state: "ready",
  reason: null,
  diagnostics: [
    { reason_code: "invalid_tool", package: "maya", tool: "x", message: "It is bad.", suggested_fix: "Mend it." },
  ],
};

let skills: readonly SkillSeen[];
let provider: ComposeProvider;
beforeEach(() => {
  skills = [skill];
  const read = () => skillsDocument(skills, "1.2.3");
  const text = { title: "Skills", description: "All skills." };
  ({ provider } = openPlace({
    documents: [
      { uri: "capabilities://", name: "overview", ...text, read: () => ({ entries: [] }) },
      { uri: URI, name: "skills", ...text, read },
      { uri: "capabilities://me", name: "me", ...text, read: ({ reader: { id }, endpoint }) => ({ id, endpoint }) },
    ],
  }));
});

const ask = (uri: string) => askOf(provider, uri);

const readAt = async (uri: string): Promise<any> => {
  const contents = await readOf(provider, uri);
  return { ...contents, document: JSON.parse(contents.text) as unknown };
};

describe("the documents about what the host has", () => {
  it("are listed as JSON, before all else", () => {
    const { resources } = provider.catalogue();
    expect(resources.slice(0, 3).map(({ uri }) => uri)).toEqual(["capabilities://", URI, "capabilities://me"]);
    expect(JSON.parse(resources[1]!.json)).toEqual({
      uri: URI,
      name: "skills",
      title: "Skills",
      description: "All skills.",
      mimeType: "application/json",
    });
  });

  it("say of skills what the format has, and no more", async () => {
    const { uri, mimeType, document } = await readAt(URI);
    expect([uri, mimeType]).toEqual([URI, "application/json"]);
    const { dcc: _dcc, reason: _reason, ...entry } = skill;
    expect(document).toEqual({
      skills: [{ ...entry, available: true }],
      metadata: { total_count: 1, version: "1.2.3" },
    });
  });

  it("are never older than what they tell of", async () => {
    skills = [{ ...skill, kind: "skill", allowed_tools: ["maya__*"] }, skill];
    const { document } = await readAt(URI);
    expect(document.metadata.total_count).toBe(2);
    expect(document.skills[0].allowed_tools).toEqual(["maya__*"]);
    expect(Object.keys(document.skills[1])).not.toContain("allowed_tools");
  });

  it.each([`${URI}/`, "CAPABILITIES://skills", "Capabilities://skills/"])("can be read as %s", async (uri) => {
    expect((await readAt(uri)).uri).toBe(URI);
    expect((await readAt("capabilities://")).document).toEqual({ entries: [] });
  });

  it.each(["capabilities://nothing", `${URI}//`, "capabilities://Skills", "capabilities://skills/x"])(
    "%s is none of them, and the refusal names those that there are",
    async (uri) => {
      await expect(ask(uri)).rejects.toMatchObject({
        kind: "resource_not_found",
        details: { uri, known: ["capabilities://", URI, "capabilities://me"] },
      });
    },
  );

  it("are made for who reads them, and where", async () => {
    const uri = "capabilities://me";
    expect(await documentAt(provider, uri)).toEqual({ id: "agent:reader", endpoint: null });
    const own = await documentAt(provider, uri, { endpoint: "compose" });
    expect(own).toEqual({ id: "agent:reader", endpoint: "compose" });
  });

  it.each(["tools/call", "prompts/get", "completion/complete"] as const)("answer no %s", async (method) => {
    await expect(askOf(provider, URI, { method })).rejects.toMatchObject({ kind: "upstream_failed" });
  });

  it("tell those who watch when one changed, until they stop", () => {
    const heard: string[] = [];
    const ends = ["a", "b"].map((who) => provider.watch(`${URI}/`, () => heard.push(who)));
    const other = provider.watch("capabilities://", () => heard.push("other"));
    provider.changed(URI);
    expect(heard).toEqual(["a", "b"]);
    for (const end of ends) if (end !== false) end();
    provider.changed(URI);
    expect(heard).toEqual(["a", "b"]);
    expect(other).not.toBe(false);
    expect(provider.watch("capabilities://nothing", () => {})).toBe(false);
  });

  it("let a watcher stop while it is told", () => {
    const heard: string[] = [];
    const end = provider.watch(URI, () => {
      heard.push("once");
      if (end !== false) end();
    });
    provider.watch(URI, () => heard.push("each time"));
    provider.changed(URI);
    provider.changed(URI);
    expect(heard).toEqual(["once", "each time", "each time"]);
  });
});

describe("a document that can be read for one provider alone", () => {
  const TOOLS = "capabilities://tools";
  beforeEach(() => {
    const text = { title: "Tools", description: "All tools." };
    const names = ({ reader, endpoint }: DocumentReader) =>
      reader.scopes === null ? [] : endpoint === null ? ["maya", "notes"] : [endpoint];
    ({ provider } = openPlace({
      documents: [
        {
          uri: TOOLS,
          name: "tools",
          ...text,
          read: () => DocumentText.of({ all: 'a "quoted" \\ \u{1f600}' }),
          parts: {
            parameter: "provider",
            ...text,
            names,
            read: ({ reader, endpoint }, name) => ({ id: reader.id, endpoint, name }),
          },
        },
        { uri: URI, name: "skills", ...text, read: () => ({}) },
      ],
    }));
  });

  it("is listed with a template, and the family with its own", () => {
    const { resources, templates } = provider.catalogue();
    expect(resources.slice(0, 2).map(({ uri }) => uri)).toEqual([TOOLS, URI]);
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "config://content/{content_id}",
      "config://artifact/{artifact_id}",
      "schema://{schema_name}",
      "content://{content_id}",
      "content://{content_id}/{version_id}",
      "generator://{generator_type}",
      "capabilities://{capability_type}",
      "capabilities://tools/{provider}",
    ]);
    expect(JSON.parse(templates.at(-1)!.json)).toEqual({
      uriTemplate: "capabilities://tools/{provider}",
      name: "tools-of-provider",
      title: "Tools",
      description: "All tools.",
      mimeType: "application/json",
    });
  });

  it("is read whole, or for the provider that is named", async () => {
    expect((await readAt(`${TOOLS}/`)).document).toEqual({ all: 'a "quoted" \\ \u{1f600}' });
    for (const uri of [`${TOOLS}/maya`, `${TOOLS}/maya/`, "Capabilities://tools/maya"]) {
      const { uri: read, document } = await readAt(uri);
      expect([read, document]).toEqual([`${TOOLS}/maya`, { id: "agent:reader", endpoint: null, name: "maya" }]);
    }
    const own = await documentAt(provider, `${TOOLS}/compose`, { endpoint: "compose" });
    expect(own).toEqual({ id: "agent:reader", endpoint: "compose", name: "compose" });
  });

  it.each([`${TOOLS}/other`, `${TOOLS}/Maya`, `${TOOLS}/__proto__`])(
    "%s is not there, and the refusal names those that are",
    async (uri) => {
      await expect(ask(uri)).rejects.toMatchObject({
        kind: "resource_not_found",
        next: `Read ${TOOLS}, which has all of them.`,
        details: { uri, known: [TOOLS, `${TOOLS}/maya`, `${TOOLS}/notes`] },
      });
    },
  );

  it.each([`${TOOLS}/maya/x`, `${TOOLS}//`, `${TOOLS}//maya`, `${URI}/maya`])(
    "%s is none of the family",
    async (uri) => {
      await expect(ask(uri)).rejects.toMatchObject({ kind: "resource_not_found", details: { known: [TOOLS, URI] } });
    },
  );

  it("tells those who watch a part when the whole changed", () => {
    const heard: string[] = [];
    provider.watch(`${TOOLS}/maya`, () => heard.push("maya"));
    provider.changed(TOOLS);
    provider.changed(URI);
    expect(heard).toEqual(["maya"]);
  });
});
