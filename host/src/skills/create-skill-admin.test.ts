import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Principal } from "../kernel/principal.ts";
import type { ShelvedSkill } from "../kernel/skill-shelf.ts";
import { createSkillAdmin } from "./create-skill-admin.ts";
import { manifestOf, openPackages, packageFiles } from "./packages/packages-for-tests.ts";
import { makeDir, manifest, write } from "./skills-for-tests.ts";

const TOOLS = "tools: [{name: run, required_capabilities: [usd, scene.read]}, {name: ping}]\n";

const FLAT = ["maya__run", "maya__ping", "other__x", "other__y"];
const viewer = (scopes: readonly string[] | null, ...listed: string[]) =>
  ({ scopes, listed }) as unknown as Principal & { readonly listed: readonly string[] };
const ALL = viewer(null, ...FLAT);

const shelved = (name: string, more: Partial<ShelvedSkill> = {}): ShelvedSkill => ({
  name,
  description: `What ${name} is for.`,
  type: "skill",
  priority: 50,
  source: "workspace",
  server: null,
  folder: null,
  isPackage: false,
  allowedTools: null,
  reason: null,
  ...more,
});

const open = async () => {
  const dir = makeDir();
  write(join(dir, "maya"), { ...packageFiles("maya", TOOLS), "SKILL.md": manifestOf("maya", "    dcc: maya\n") });
  write(join(dir, "broken"), { "tools.yaml": "tools: [a]\n" });
  write(join(dir, "guide"), { "SKILL.md": manifest("guide", 'allowed-tools: "maya__*, other__x Bash(git:*)"\n') });
  write(join(dir, "plain"), { "SKILL.md": manifest("plain", "metadata: {dcc-mcp.dcc: maya}\n"), "tools.yaml": "" });
  write(join(dir, "neither"), { "SKILL.md": manifest("neither", "metadata: {dcc-mcp: {dccs: maya}}\n") });
  const { packages } = await openPackages(dir);
  const skills = [
    shelved("guide", { folder: join(dir, "guide"), allowedTools: ["maya__*", "other__x"] }),
    shelved("maya", { folder: join(dir, "maya"), isPackage: true, type: "context", priority: 3 }),
    shelved("plain", { folder: join(dir, "plain") }),
    shelved("soul", { type: "context", priority: 7, reason: "It needs the bundle crm." }),
    shelved("offered", { source: "bundle:other", server: "other" }),
  ];
  const requirements = () => [
    { flat: "maya__run", required: ["usd", "", "scene.read", "usd", "\u{1F600}", "\uFF01"], missing: ["usd"] },
    { flat: "maya__ping", required: [], missing: [] },
    { flat: "other__x", required: ["viewport"], missing: [] },
    { flat: "other__y", required: ["never"], missing: ["never"] },
  ];
  const admin = createSkillAdmin({
    packages,
    shelve: async () => ({ skills, warnings: ["/x/a.md is skipped."] }),
    requirements,
    viewerOf: (principal) => {
      const { scopes, listed } = principal as typeof ALL;
      return { scopes, listed: new Set(listed) };
    },
  });
  return { dir, admin, packages };
};

describe("the list of skills", () => {
  it("has packages and skills with what their tools require together, and what is missing", async () => {
    const { admin } = await open();
    const { skills, warnings } = await admin.list(ALL);
    expect(warnings).toEqual(["/x/a.md is skipped."]);
    expect(skills).toEqual([
      {
        name: "broken",
        kind: "package",
        type: "skill",
        priority: 50,
        description: "",
        source: "workspace",
        dcc: null,
        tools: [],
        required_capabilities: [],
        missing_capabilities: [],
        state: "broken",
        reason: expect.stringContaining("SKILL.md"),
        diagnostics: [expect.objectContaining({ reason_code: "missing_skill_md" })],
      },
      {
        name: "maya",
        kind: "package",
        type: "context",
        priority: 3,
        description: "What maya is for.",
        source: "workspace",
        dcc: "maya",
        tools: ["maya__run", "maya__ping"],
        required_capabilities: ["scene.read", "usd", "\uFF01", "\u{1F600}"],
        missing_capabilities: ["usd"],
        state: "ready",
        reason: null,
        diagnostics: [],
      },
      {
        name: "guide",
        kind: "skill",
        type: "skill",
        priority: 50,
        description: "What guide is for.",
        source: "workspace",
        dcc: null,
        tools: ["maya__run", "maya__ping", "other__x"],
        allowed_tools: ["maya__*", "other__x"],
        required_capabilities: ["scene.read", "usd", "viewport", "\uFF01", "\u{1F600}"],
        missing_capabilities: ["usd"],
        state: "ready",
        reason: null,
        diagnostics: [],
      },
      expect.objectContaining({
        name: "plain",
        kind: "skill",
        tools: [],
        state: "ready",
        diagnostics: [
          expect.objectContaining({ pointer: "SKILL.md#/metadata/dcc-mcp.dcc", warning: true }),
          expect.objectContaining({ reason_code: "unreferenced_tools_file", warning: true }),
        ],
      }),
      expect.objectContaining({
        name: "soul",
        type: "context",
        priority: 7,
        state: "unavailable",
        reason: "It needs the bundle crm.",
      }),
      expect.objectContaining({ name: "offered", source: "bundle:other", server: "other", state: "ready" }),
      expect.objectContaining({
        name: "neither",
        kind: "skill",
        state: "broken",
        diagnostics: [expect.objectContaining({ pointer: "SKILL.md#/metadata/dcc-mcp/dccs" })],
      }),
    ]);
  });

  it("is narrowed to what is satisfied, and to one application", async () => {
    const { admin } = await open();
    const names = async (filter: object): Promise<readonly string[]> =>
      (await admin.list(ALL, filter)).skills.map(({ name }) => name);
    expect(await names({ satisfied: true })).toEqual(["plain", "offered"]);
    expect(await names({ dcc: "maya" })).toEqual(["maya"]);
    expect(await names({ dcc: "maya", satisfied: true })).toEqual([]);
    expect(await names({ satisfied: false })).toHaveLength(7);
  });

  it("is narrowed to what somebody may name before it is to what is satisfied", async () => {
    const { admin } = await open();
    const narrow = viewer(["maya__ping"], "maya__ping");
    expect((await admin.list(narrow, { satisfied: true })).skills).toMatchObject([
      { name: "maya", tools: ["maya__ping"], required_capabilities: [], missing_capabilities: [] },
    ]);
    expect([await admin.get(narrow, "guide"), await admin.get(narrow, "broken")]).toEqual([null, null]);
    expect(await admin.get(narrow, "maya")).toMatchObject({ version: "1.0.0", tools: ["maya__ping"] });
  });

  it("gives one by its name, a package with all there is to know, and takes it", async () => {
    const { dir, admin, packages } = await open();
    expect(await admin.get(ALL, "none")).toBeNull();
    expect(await admin.get(ALL, "guide")).toMatchObject({ kind: "skill" });
    expect(await admin.get(ALL, "maya")).toMatchObject({
      type: "context",
      priority: 3,
      version: "1.0.0",
      env: [],
      groups: [],
      logs: [],
      metadata: { "search-aliases": [] },
    });
    write(join(dir, "maya"), { "more.txt": "x" });
    await packages.refresh();
    expect(await admin.get(ALL, "maya")).toMatchObject({ state: "held", tools: ["maya__run", "maya__ping"] });
    const { digest, changes } = packages.detail("maya", new Map()) ?? {};
    expect(changes).toMatchObject({ tools: { changed: [] }, files: { added: ["more.txt"] } });
    expect(await admin.accept("maya", digest ?? "", "p1")).toMatchObject({
      state: "ready",
      accepted: digest,
      changes: null,
    });
    await expect(admin.accept("guide", digest ?? "", "p1")).rejects.toMatchObject({ kind: "not_found" });
  });
});
