import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import { skillRow } from "../kernel/skill-row.ts";
import { openHostWire, type HostWire } from "./host-wire-for-tests.ts";

const [OLD, NEW] = [`sha256:${"0".repeat(64)}`, `sha256:${"1".repeat(64)}`];

const seen: SkillSeen = {
  name: "maya-usd",
  kind: "package",
  type: "skill",
  priority: 50,
  description: "USD for Maya.\nAnd more",
  source: "config",
  dcc: "maya",
  tools: ["maya-usd__import", "maya-usd__export"],
  required_capabilities: ["filesystem.read", "usd"],
  missing_capabilities: ["usd"],
  state: "held",
  reason: null,
  diagnostics: [
    {
      reason_code: "invalid_tool",
      package: "maya-usd",
      tool: "slow",
      pointer: "tools.yaml#/tools/3/timeout_hint_secs",
      line: 17,
      message: "timeout_hint_secs is 6000;\u001B[2J at most 600.",
      suggested_fix: "Write a whole number from 1 to 600.",
    },
    {
      reason_code: "non_spec_top_level_keys",
      package: "maya-usd",
      message: "a warning",
      suggested_fix: "Move it.",
      warning: true,
    },
  ],
};

const detail: PackageDetail = {
  ...seen,
  version: "1.0.0",
  digest: NEW,
  accepted: OLD,
  changes: {
    tools: { added: ["maya-usd__render"], changed: ["maya-usd__import"], removed: ["maya-usd__bake"] },
    required: [{ tool: "maya-usd__import", before: [], after: ["usd", "a\u001B[2J"] }],
    files: { added: ["scripts/render.py"], changed: ["tools.yaml", "scripts/a\nb.py"], removed: [] },
  },
  env: [{ name: "LICENSE", granted: false }],
  groups: [{ name: "extra", active: false, tools: ["maya-usd__export"] }],
  metadata: {},
  logs: ["a line\u001B[31m"],
};

const guide: SkillSeen = {
  ...seen,
  name: "guide",
  kind: "skill",
  dcc: null,
  tools: [],
  allowed_tools: ["maya-usd__*"],
  missing_capabilities: [],
  state: "ready",
  diagnostics: [],
};

let wire: HostWire;
beforeAll(async () => {
  wire = await openHostWire();
});
beforeEach(() => {
  wire.asked.length = 0;
  wire.says.set("GET /v1/skills", [200, { skills: [seen, guide].map(skillRow) }]);
  wire.says.set("GET /v1/skills/maya-usd", [200, skillRow(detail)]);
  wire.says.set("GET /v1/skills/guide", [200, skillRow(guide)]);
});
afterAll(() => wire.close());

describe("skill list", () => {
  it("shows state and what is missing, and below what is wrong where", async () => {
    const { code, out, err } = await wire.run(["skill", "list"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^skill +kind +state +tools +missing +description\n/);
    expect(out).toMatch(/^maya-usd +package +held +2 +usd +USD for Maya\.$/m);
    expect(out).toMatch(/^guide +skill +ready +0 +– +USD for Maya\.$/m);
    expect(out.split("\n").slice(-5)).toEqual([
      String.raw`maya-usd/tools.yaml:17  slow  invalid_tool  timeout_hint_secs is 6000;\u{1b}[2J at most 600.`,
      "  → Write a whole number from 1 to 600.",
      "maya-usd  -  non_spec_top_level_keys (warning)  a warning",
      "  → Move it.",
      "",
    ]);
    expect(err).toBe("→ maya-usd: bailiwick skill accept maya-usd\n");
  });

  it("asks the host for those that fit, and writes them as the host does", async () => {
    const { out } = await wire.run(["skill", "list", "--satisfied", "--dcc", "3ds max", "--json"]);
    expect(wire.asked[0]?.what).toBe("GET /v1/skills?satisfied=true&dcc=3ds+max");
    expect(JSON.parse(out)).toEqual({ skills: [skillRow(seen), skillRow(guide)], warnings: [] });
  });

  it("says beside the table which files were skipped and why", async () => {
    const warnings = ["/skills/bad\u001B[2J.md is skipped: it has no name; give it name: with a text."];
    const context: SkillSeen = { ...guide, name: "soul", type: "context", priority: 5 };
    wire.says.set("GET /v1/skills", [200, { skills: [skillRow(context)], warnings }]);
    const { out, err } = await wire.run(["skill", "list"]);
    expect(out).toMatch(/^soul +context +ready +0 /m);
    expect(err).toBe(`${String.raw`/skills/bad\u{1b}[2J.md is skipped: it has no name; give it name: with a text.`}\n`);
    expect(JSON.parse((await wire.run(["skill", "list", "--json"])).out)).toMatchObject({ warnings });
  });

  it("says so when there is none", async () => {
    wire.says.set("GET /v1/skills", [200, { skills: [] }]);
    expect((await wire.run(["skill", "list"])).err).toContain("SKILL.md");
    expect((await wire.run(["skill", "list", "--dcc", "x"])).err).toContain("No skill fits");
  });
});

describe("skill info", () => {
  it("shows all of a package, with nothing in it obeyed", async () => {
    const { code, out, err } = await wire.run(["skill", "info", "maya-usd"]);
    expect(code).toBe(0);
    for (const line of [
      /^maya-usd$/m,
      /^ {2}state +held$/m,
      /^ {2}application +maya$/m,
      new RegExp(`^ {2}accepted +${OLD}$`, "m"),
      /^ {2}groups +extra \(inactive\)$/m,
      /^ {2}variables +LICENSE \(not granted\)$/m,
      /^ {2}missing +usd$/m,
      /^ {2}maya-usd\/tools\.yaml:17 {2}slow {2}invalid_tool {2}/m,
      /^ {4}a line\\u\{1b\}\[31m$/m,
    ]) {
      expect(out).toMatch(line);
    }
    expect(out).not.toContain("\u001B");
    expect(err).toContain("bailiwick capabilities add usd");
  });

  it("writes it as JSON, and shows a skill without tools too", async () => {
    const { out } = await wire.run(["skill", "info", "maya-usd", "--json"]);
    expect(JSON.parse(out)).toEqual({ skill: skillRow(detail) });
    expect((await wire.run(["skill", "info", "guide"])).out).toMatch(/^ {2}narrows to +maya-usd__\*$/m);
    expect((await wire.run(["skill", "info", "unknown"])).code).toBe(3);
  });
});

describe("skill accept", () => {
  const accepted: PackageDetail = { ...detail, state: "ready", accepted: NEW, changes: null };
  beforeEach(() => {
    wire.says.set("POST /v1/skills/maya-usd/accept", [200, skillRow(accepted)]);
  });
  const accepts = () => wire.asked.filter(({ what }) => what.startsWith("POST")).map(({ body }) => body as unknown);

  it("shows what changed and accepts exactly that after a yes", async () => {
    const { code, out } = await wire.run(["skill", "accept", "maya-usd"], "yes\n");
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 9)).toEqual([
      "maya-usd",
      `  accepted ${OLD}`,
      `  offered  ${NEW}`,
      "  + maya-usd__render (new)",
      "  ~ maya-usd__import (changed)",
      "  - maya-usd__bake (gone)",
      String.raw`  ! maya-usd__import requires usd, a\u{1b}[2J (before: nothing)`,
      "  files added: scripts/render.py",
      String.raw`  files changed: tools.yaml, scripts/a\u{a}b.py`,
    ]);
    expect(out).toContain("invalid_tool");
    expect(out).toContain("Accepted maya-usd as it is now, with 2 tools.\n");
    expect(accepts()).toEqual([{ digest: NEW }]);
  });

  it.each(["no\n", "\n", ""])("accepts nothing after %j", async (typed) => {
    const { code, err } = await wire.run(["skill", "accept", "maya-usd"], typed);
    expect(code).toBe(3);
    expect(err).toContain("Nothing was accepted.");
    expect(accepts()).toEqual([]);
  });

  it("where nobody can be asked needs --yes", async () => {
    const { code, err } = await wire.run(["skill", "accept", "maya-usd"]);
    expect([code, err.includes("--yes")]).toEqual([2, true]);
    expect(accepts()).toEqual([]);
    const { out } = await wire.run(["skill", "accept", "maya-usd", "--yes", "--json"]);
    expect(JSON.parse(out)).toEqual({ skill: skillRow(accepted), changes: detail.changes });
    expect(accepts()).toEqual([{ digest: NEW }]);
  });

  it("says when no tool is another, and when it is not known what was accepted", async () => {
    const none = { added: [], changed: [], removed: [] };
    const changes = { tools: none, required: [], files: { ...none, removed: ["a.txt"] } };
    wire.says.set("GET /v1/skills/maya-usd", [200, skillRow({ ...detail, changes })]);
    const { out } = await wire.run(["skill", "accept", "maya-usd", "--yes"]);
    expect(out).toContain("  No tool is new, gone, or another than it was.\n  files removed: a.txt\n");
    wire.says.set("GET /v1/skills/maya-usd", [200, skillRow({ ...detail, changes: null })]);
    expect((await wire.run(["skill", "accept", "maya-usd", "--yes"])).out).toContain("all of it is new");
  });

  it("says when it changed again meanwhile", async () => {
    const no = { error: "stale_surface", message: "It is another one by now.", remedy: "Look again." };
    wire.says.set("POST /v1/skills/maya-usd/accept", [409, no]);
    const { code, err } = await wire.run(["skill", "accept", "maya-usd", "--yes"]);
    expect([code, err]).toEqual([3, "It is another one by now.\n→ Look again.\n"]);
  });

  it("has nothing to do for a package that is not held, and cannot take a broken one", async () => {
    wire.says.set("GET /v1/skills/maya-usd", [200, skillRow({ ...detail, state: "ready" })]);
    expect(await wire.run(["skill", "accept", "maya-usd"])).toMatchObject({
      code: 0,
      err: "Nothing of maya-usd is held.\n",
    });
    wire.says.set("GET /v1/skills/maya-usd", [200, skillRow({ ...detail, state: "broken" })]);
    const broken = await wire.run(["skill", "accept", "maya-usd", "--yes"]);
    expect(broken.code).toBe(1);
    expect(broken.err).toContain("Write a whole number from 1 to 600.");
    expect((await wire.run(["skill", "accept", "guide"])).code).toBe(2);
    expect(accepts()).toEqual([]);
  });
});
