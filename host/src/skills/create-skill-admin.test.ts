import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SkillViewer } from "../kernel/skill-viewer.ts";
import { createSkillAdmin } from "./create-skill-admin.ts";
import { manifestOf, openPackages, packageFiles } from "./packages/packages-for-tests.ts";
import { makeDir, manifest, openSkills, write } from "./skills-for-tests.ts";

const TOOLS = "tools: [{name: run, required_capabilities: [usd, scene.read]}, {name: ping}]\n";

const FLAT = ["maya__run", "maya__ping", "other__x", "other__y"];
const ALL: SkillViewer = { scopes: null, listed: new Set(FLAT) };

const open = async () => {
  const dir = makeDir();
  write(join(dir, "maya"), { ...packageFiles("maya", TOOLS), "SKILL.md": manifestOf("maya", "    dcc: maya\n") });
  write(join(dir, "broken"), { "tools.yaml": "tools: [a]\n" });
  write(join(dir, "guide"), { "SKILL.md": manifest("guide", 'allowed-tools: "maya__*, other__x Bash(git:*)"\n') });
  write(join(dir, "plain"), { "SKILL.md": manifest("plain", "metadata: {dcc-mcp.dcc: maya}\n"), "tools.yaml": "" });
  write(join(dir, "neither"), { "SKILL.md": manifest("neither", "metadata: {dcc-mcp: {dccs: maya}}\n") });
  const { packages } = await openPackages(dir);
  const { skills } = await openSkills(dir);
  const requirements = () => [
    { flat: "maya__run", required: ["usd", "", "scene.read", "usd", "\u{1F600}", "\uFF01"], missing: ["usd"] },
    { flat: "maya__ping", required: [], missing: [] },
    { flat: "other__x", required: ["viewport"], missing: [] },
    { flat: "other__y", required: ["never"], missing: ["never"] },
  ];
  const admin = createSkillAdmin({ packages, skills, dirs: () => [{ path: dir, source: "workspace" }], requirements });
  return { dir, admin, packages };
};

describe("the list of skills", () => {
  it("has packages and skills with what their tools require together, and what is missing", async () => {
    const { admin } = await open();
    expect(admin.list(ALL)).toEqual([
      {
        name: "broken",
        kind: "package",
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
        description: "What guide is for.",
        source: "workspace",
        dcc: null,
        tools: ["maya__run", "maya__ping", "other__x"],
        allowed_tools: ["maya__*", "other__x", "Bash(git:*)"],
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
        name: "neither",
        kind: "skill",
        state: "broken",
        diagnostics: [expect.objectContaining({ pointer: "SKILL.md#/metadata/dcc-mcp/dccs" })],
      }),
    ]);
  });

  it("is narrowed to what is satisfied, and to one application", async () => {
    const { admin } = await open();
    const names = (filter: object): readonly string[] => admin.list(ALL, filter).map(({ name }) => name);
    expect(names({ satisfied: true })).toEqual(["plain"]);
    expect(names({ dcc: "maya" })).toEqual(["maya"]);
    expect(names({ dcc: "maya", satisfied: true })).toEqual([]);
    expect(names({ satisfied: false })).toHaveLength(5);
  });

  it("is narrowed to what somebody may name before it is to what is satisfied", async () => {
    const { admin } = await open();
    const viewer: SkillViewer = { scopes: ["maya__ping"], listed: new Set(["maya__ping"]) };
    expect(admin.list(viewer, { satisfied: true })).toMatchObject([
      { name: "maya", tools: ["maya__ping"], required_capabilities: [], missing_capabilities: [] },
    ]);
    expect([admin.get(viewer, "guide"), admin.get(viewer, "broken")]).toEqual([null, null]);
    expect(admin.get(viewer, "maya")).toMatchObject({ version: "1.0.0", tools: ["maya__ping"] });
  });

  it("gives one by its name, a package with all there is to know, and takes it", async () => {
    const { dir, admin, packages } = await open();
    expect(admin.get(ALL, "none")).toBeNull();
    expect(admin.get(ALL, "guide")).toMatchObject({ kind: "skill" });
    expect(admin.get(ALL, "maya")).toMatchObject({
      version: "1.0.0",
      env: [],
      groups: [],
      logs: [],
      metadata: { "search-aliases": [] },
    });
    write(join(dir, "maya"), { "more.txt": "x" });
    await packages.refresh();
    expect(admin.get(ALL, "maya")).toMatchObject({ state: "held", tools: ["maya__run", "maya__ping"] });
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
