import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SkillMatching } from "../kernel/agent.ts";
import { openHostWire, type HostWire } from "./host-wire-for-tests.ts";

let wire: HostWire;
beforeAll(async () => {
  wire = await openHostWire();
});
afterAll(() => wire.close());

const candidate = (name: string, more: Partial<SkillMatching["candidates"][number]>) => ({
  name,
  source: "user",
  available: true,
  triggers: [],
  keywords: [],
  ...more,
});

describe("skill match", () => {
  const matching: SkillMatching = {
    skill: { name: "report", phase: "keywords", matched: ["weekly", "numbers"] },
    allowedTools: ["files__*"],
    candidates: [
      candidate("report", { keywords: ["weekly", "numbers"] }),
      candidate("sales\u001B[2J", { keywords: ["numbers"] }),
      candidate("later", { keywords: ["weekly", "numbers"] }),
      candidate("crm", { available: false, reason: "the bundle crm does not run", triggers: ["numbers"] }),
    ],
    warnings: ["/x/bad.md is skipped: it has no name."],
  };
  beforeEach(() => {
    wire.asked.length = 0;
    wire.says.set("POST /v1/skills/match", [200, matching]);
  });

  it("shows who wins and why, who came close, and what is not available", async () => {
    const { code, out, err } = await wire.run(["skill", "match", "Weekly numbers"]);
    expect(code).toBe(0);
    expect(wire.asked.map(({ what, body }) => [what, body as unknown])).toEqual([
      ["POST /v1/skills/match", { message: "Weekly numbers" }],
    ]);
    expect(out.split("\n")).toEqual([
      'report  has 2 of its keywords in the message: "weekly", "numbers"',
      "  narrows the tools to files__* and nb__*",
      "not this time",
      String.raw`  sales\u{1b}[2J  has 1 keyword: "numbers"; at least 2 are needed`,
      '  later  has 2 keywords: "weekly", "numbers"; another has as many and comes first',
      "  crm  is not available: the bundle crm does not run",
      "",
    ]);
    expect(err).toContain("Warning: /x/bad.md is skipped");
  });

  it("says why a trigger lost, and what an empty list of tools means", async () => {
    const skill = { name: "first", phase: "trigger", matched: ["report"] } as const;
    const candidates = [candidate("first", { triggers: ["report"] }), candidate("second", { triggers: ["report"] })];
    wire.says.set("POST /v1/skills/match", [200, { skill, allowedTools: [], candidates, warnings: [] }]);
    const { out } = await wire.run(["skill", "match", "report"]);
    expect(out).toContain('first  has the trigger "report"\n  narrows the tools to nb__* only\n');
    expect(out).toContain(`second  has the trigger "report", but another one's trigger comes first`);
  });

  it("says when none matches, and writes JSON as the host says it", async () => {
    const none = { skill: null, allowedTools: null, candidates: [], warnings: [] };
    wire.says.set("POST /v1/skills/match", [200, none]);
    expect((await wire.run(["skill", "match", "hello"])).out).toBe("No skill matches.\n");
    expect(JSON.parse((await wire.run(["skill", "match", "hello", "--json"])).out)).toEqual(none);
  });
});

describe("skill check", () => {
  const put = (path: string, text: string): string => {
    const file = join(wire.dir, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
    return file;
  };

  it("of a good file says so, with exit code 0", async () => {
    const file = put("ok/report.md", "---\nname: report\ndescription: x\n---\nDo it.\n");
    expect(await wire.run(["skill", "check", "ok/report.md"])).toEqual({
      code: 0,
      out: `ok  ${file}  skill report\n`,
      err: "",
    });
  });

  it("names the line of what could be better, and it is still usable", async () => {
    const file = put("odd.md", "---\nname: odd\npriority: high\nmetadata:\n  triggers: [a, 5]\ntag: x\n---\nDo it.\n");
    const { code, out } = await wire.run(["skill", "check", "odd.md"]);
    expect(code).toBe(0);
    expect(out).toContain(`ok  ${file}  skill odd, 3 warnings\n`);
    for (const line of [`${file}:3  priority`, `${file}:5  metadata.triggers`, `${file}:6  "tag" means`]) {
      expect(out).toContain(`warning  ${line}`);
    }
  });

  it.each([
    ["no name", "---\ndescription: x\n---\n", "it has no name", null],
    ["no front matter", "hello", "does not begin with front matter", null],
    ["broken YAML", "---\nname: x\n  bad: [\n---\n", "no usable YAML", /:\d+ {2}/],
    ["a body that is too long", `---\nname: x\n---\n${"y".repeat(32_001)}`, "32000 characters", null],
    ["too many bytes", `---\nname: x\n---\n${"y".repeat(300_000)}`, "262144 bytes", null],
  ])("of a file with %s fails and says why", async (_, text, told, place) => {
    put("bad.md", text);
    const { code, out } = await wire.run(["skill", "check", "bad.md"]);
    expect([code, out.startsWith("error  "), out.includes(told)]).toEqual([1, true, true]);
    if (place !== null) expect(out).toMatch(place);
  });

  it("looks through a directory of skills, and into the tools of a package", async () => {
    put("all/one.md", "---\nname: one\n---\n1\n");
    put("all/two/SKILL.md", "---\nname: two\ndescription: d\n---\n2\n");
    put(
      "all/three/SKILL.md",
      "---\nname: three\ndescription: d\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n3\n",
    );
    put("all/three/tools.yaml", "tools:\n  - name: a\n    timeout_hint_secs: 6000\n");
    put("all/none/README.txt", "x");
    const { code, out } = await wire.run(["skill", "check", "all", "--json"]);
    const { ok, skills } = JSON.parse(out) as {
      ok: boolean;
      skills: { name: string; findings: { level: string }[] }[];
    };
    expect([code, ok, skills.map(({ name }) => name)]).toEqual([1, false, ["one", "three", "two"]]);
    expect(skills[1]?.findings).toContainEqual(
      expect.objectContaining({
        level: "error",
        file: join(wire.dir, "all/three/tools.yaml"),
        line: expect.any(Number) as unknown,
      }),
    );
  });

  it("refuses what is not there or holds no skill", async () => {
    mkdirSync(join(wire.dir, "empty"));
    expect((await wire.run(["skill", "check", "empty"])).code).toBe(3);
    expect((await wire.run(["skill", "check", "nowhere.md"])).code).toBe(3);
  });
});
