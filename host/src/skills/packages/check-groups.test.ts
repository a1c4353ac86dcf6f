import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDir, write } from "../skills-for-tests.ts";
import { openPackages, packageFiles, toolsOf } from "./packages-for-tests.ts";

/** How the tools of this `tools.yaml` are listed, and what is said of it. */
const served = async (text: string) => {
  const dir = makeDir();
  write(join(dir, "pkg"), packageFiles("pkg", text));
  const { packages, providers } = await openPackages(dir);
  const [row] = packages.seen(new Map());
  const [tool] = providers.get("pkg")?.catalogue().tools ?? [];
  return { tools: toolsOf(providers.get("pkg")), diagnostics: row?.diagnostics ?? [], next: tool?.barred?.next };
};

const TOOLS = "tools:\n  - name: wipe\n  - name: other\n    group: mine\n";
const MINE = "  - {name: mine, default_active: true}\n";
const OFF = "disabled group_inactive";
const UNCLEAR = "disabled group_unreadable";

describe("a group whose tools can be read another way", () => {
  it.each<[string, string]>([
    ["one name", "wipe"],
    ["a text with commas", '"none, wipe"'],
    ["the other kind of line in a name", "[wipe-all]"],
  ])("has them: %s", async (_, names) => {
    const text = `tools: [wipe, wipe_all, run]\ngroups:\n  - {name: danger, tools: ${names}}\n`;
    const { tools } = await served(text);
    const [wipe, all, run] = tools;
    expect([wipe, all].filter((each) => each?.endsWith(OFF))).toHaveLength(1);
    expect(run).toBe("run");
  });

  it("is switched on only where every group of its name is", async () => {
    const groups = "  - {name: g, tools: [other], default_active: true}\n  - {name: g, tools: [wipe]}\n";
    const { tools } = await served(`tools: [wipe, other]\ngroups:\n${groups}`);
    expect(tools).toEqual([`wipe ${OFF}`, `other ${OFF}`]);
  });
});

describe("a group that cannot be read whole", () => {
  it.each<[string, string]>([
    ["tools that are mappings", `groups:\n${MINE}  - {name: danger, tools: [{name: wipe}]}\n`],
    ["tools that are a mapping", `groups:\n${MINE}  - {name: danger, tools: {wipe: true}}\n`],
    ["a group that is a name", `groups:\n${MINE}  - danger\n`],
    ["tools twice", `groups:\n${MINE}  - {name: danger, tools: [x], tools: [wipe]}\n`],
    ["a key that is almost tools", `groups:\n${MINE}  - {name: danger, tool: [wipe]}\n`],
    ["an alias of nothing", `groups:\n${MINE}  - {name: danger, tools: *none}\n`],
    ["groups twice", `groups:\n${MINE}groups:\n  - {name: danger, tools: [wipe]}\n`],
  ])("bars the tools that have no other, and says so: %s", async (_, groups) => {
    const { tools, diagnostics, next } = await served(TOOLS + groups);
    expect(tools).toEqual([`wipe ${UNCLEAR}`, "other"]);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(next).toBe("Mend what is said of its groups in tools.yaml: bailiwick skill info pkg");
  });

  it.each<[string, string]>([
    ["a mapping of groups", "groups: {danger: {tools: [wipe]}}\n"],
    ["a key that is almost groups", "group:\n  - {name: danger, tools: [wipe]}\n"],
    ["an alias of no groups", "groups: *none\n"],
    ["a slip in the groups", 'groups:\n  - {name: danger, tools: [wipe]\n  - "x\n'],
    ["more groups than are read", `groups:\n${"  - {name: g}\n".repeat(1_000)}  - {name: danger, tools: [wipe]}\n`],
  ])("bars them where it may be any: %s", async (_, groups) => {
    const { tools, diagnostics } = await served(TOOLS + groups);
    expect(tools).toEqual([`wipe ${UNCLEAR}`, `other ${OFF}`]);
    expect(diagnostics.length).toBeGreaterThan(0);
  });

  it("is also what a tool names by a key that is almost group", async () => {
    const { tools } = await served("tools:\n  - {name: wipe, groups: [danger]}\n  - run\n");
    expect(tools).toEqual([`wipe ${UNCLEAR}`, "run"]);
  });

  it("is none where a tool is unknown or nothing is said", async () => {
    expect((await served("tools: [run]\ngroups:\n")).tools).toEqual(["run"]);
    expect((await served("tools: [run]\ngroups: [{name: g, tools: [none], color: red}]\n")).tools).toEqual(["run"]);
  });
});
