import { describe, expect, it } from "vitest";
import type { PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import type { SkillViewer } from "../kernel/skill-viewer.ts";
import { seenBy } from "./seen-by.ts";

const requirement = (flat: string, ...missing: string[]) => [flat, { flat, required: missing, missing }] as const;
const REQUIREMENTS = new Map([requirement("maya__open"), requirement("maya__shut", "secret.cap"), requirement("x__y")]);

const bad = (tool: string) =>
  ({
    reason_code: "invalid_tool",
    package: "maya",
    tool,
    message: `${tool} is bad.`,
    suggested_fix: "Mend it.",
  }) as const;

const maya: PackageDetail = {
  name: "maya",
  kind: "package",
  type: "skill",
  priority: 50,
  description: "For Maya.",
  source: "config",
  dcc: null,
  tools: ["maya__open", "maya__shut"],
  required_capabilities: ["secret.cap"],
  missing_capabilities: ["secret.cap"],
  state: "ready",
  reason: "hidden is bad.",
  diagnostics: [bad("hidden"), bad("open"), bad("opener")],
  version: "1.0.0",
  digest: null,
  accepted: null,
  changes: null,
  env: [],
  groups: [
    { name: "both", active: true, tools: ["open", "shut"] },
    { name: "closed", active: false, tools: ["shut"] },
    { name: "empty", active: false, tools: [] },
  ],
  metadata: {},
  logs: [],
};

const guide: SkillSeen = { ...maya, name: "guide", kind: "skill", diagnostics: [], tools: ["maya__open", "x__y"] };

const viewer = (scopes: readonly string[] | null, ...listed: string[]): SkillViewer => ({
  scopes,
  listed: new Set(listed),
});
const EVERYTHING = viewer(null, ...REQUIREMENTS.keys());

describe("a skill", () => {
  it("is the same to those who may name all of it", () => {
    for (const skill of [maya, guide]) expect(seenBy(EVERYTHING, skill, REQUIREMENTS)).toBe(skill);
    expect(seenBy(viewer(["maya__*"], "maya__open", "maya__shut"), maya, REQUIREMENTS)).toBe(maya);
  });

  it("tells a narrower key nothing of the rest: tools, groups, what is wrong, what they need", () => {
    const seen = seenBy(viewer(["maya__open*"], "maya__open"), maya, REQUIREMENTS);
    expect(seen).toEqual({
      ...maya,
      tools: ["maya__open"],
      required_capabilities: [],
      missing_capabilities: [],
      reason: "A tool of it that you may not name cannot be served.",
      diagnostics: [bad("open"), bad("opener")],
      groups: [
        { name: "both", active: true, tools: ["open"] },
        { name: "empty", active: false, tools: [] },
      ],
    });
    expect(JSON.stringify(seen)).not.toMatch(/shut|hidden|secret/);
  });

  it("follows the surface where that knows more than the scope: outward ids, and lists of allowed actors", () => {
    expect(seenBy(viewer(["studio.open"], "maya__open"), maya, REQUIREMENTS)?.tools).toEqual(["maya__open"]);
    expect(seenBy(viewer(null, "maya__open"), maya, REQUIREMENTS)).toMatchObject({
      tools: ["maya__open"],
      required_capabilities: [],
    });
  });

  it("is not there for a key that may name nothing of it", () => {
    expect(seenBy(viewer(["x__*"], "x__y"), maya, REQUIREMENTS)).toBeNull();
    expect(seenBy(viewer(["x__*"], "x__y"), guide, REQUIREMENTS)).toBeNull();
    expect(seenBy(viewer(["skills__*", "x__*"], "x__y"), guide, REQUIREMENTS)?.tools).toEqual(["x__y"]);
    const broken: PackageDetail = { ...maya, state: "broken", tools: [] };
    expect(seenBy(viewer(["maya__*"]), broken, new Map())).toBe(broken);
  });
});
