import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDir, write } from "../skills-for-tests.ts";
import { callTool, manifestOf, openPackages, packageFiles, toolsOf } from "./packages-for-tests.ts";

const makePackage = (name: string, tools: string): string => {
  const dir = makeDir();
  write(join(dir, name), packageFiles(name, tools));
  return dir;
};

describe("groups", () => {
  const GROUPED = `tools:
  - name: one
    group: heavy
  - name: two
  - name: three
groups:
  - {name: light, tools: [two], default_active: true}
  - {name: heavy, description: Slow ones., tools: [three]}
`;

  it("keep their tools off until the configuration switches them on", async () => {
    const dir = makePackage("pkg", GROUPED);
    let groups: Record<string, readonly string[]> = { other: ["heavy"] };
    const { packages, providers, said } = await openPackages(dir, { groups: () => groups });
    expect(toolsOf(providers.get("pkg"))).toEqual([
      "one disabled group_inactive",
      "two",
      "three disabled group_inactive",
    ]);
    const next = 'Add "heavy" to capabilities.groups.pkg in bailiwick.json.';
    expect(providers.get("pkg")?.catalogue().tools[0]?.barred?.next).toBe(next);
    groups = { pkg: ["heavy"] };
    await packages.refresh();
    expect(toolsOf(providers.get("pkg"))).toEqual(["one", "two", "three"]);
    expect(said).toEqual(["add pkg", "changed pkg"]);
    expect(packages.detail("pkg", new Map())?.groups).toEqual([
      { name: "light", active: true, tools: ["two"] },
      { name: "heavy", active: true, tools: ["one", "three"] },
    ]);
  });

  it("that the package does not have are told", async () => {
    const dir = makePackage("pkg", GROUPED);
    const { packages } = await openPackages(dir, { groups: () => ({ pkg: ["light", "heavvy"] }) });
    const [row] = packages.seen(new Map());
    expect(row).toMatchObject({
      state: "ready",
      diagnostics: [{ message: expect.stringContaining('"heavvy"'), warning: true }],
    });
  });

  it("of a package that is named like a member of every object are none", async () => {
    const { providers } = await openPackages(makePackage("constructor", GROUPED));
    expect(toolsOf(providers.get("constructor"))[0]).toBe("one disabled group_inactive");
  });
});

describe("a script that cannot run on this machine", () => {
  it("is listed as unavailable with the reason, and becomes available", async () => {
    const dir = makeDir();
    const files = { "scripts/a.py": "", "scripts/b.sh": "", "scripts/c.ts": "" };
    write(join(dir, "pkg"), { ...files, "SKILL.md": manifestOf("pkg"), "tools.yaml": "tools: [a, b, c]\n" });
    let python: string | null = null;
    const { packages, providers } = await openPackages(dir, { which: () => python });
    expect(toolsOf(providers.get("pkg"))).toEqual(["a unavailable python3_missing", "b", "c"]);
    python = "/usr/bin/python3";
    await packages.refresh();
    expect(toolsOf(providers.get("pkg"))).toEqual(["a", "b", "c"]);
  });
});

describe("variables that a package wants", () => {
  it("are given if they are granted, and shown; others are not given, and that is told", async () => {
    const dir = makeDir();
    const front = manifestOf("pkg", "    env: [A_KEY, OTHER]\n");
    write(join(dir, "pkg"), { ...packageFiles("pkg", "tools: [run]\n"), "SKILL.md": front });
    const given: (readonly string[])[] = [];
    const { packages, providers } = await openPackages(dir, {
      grants: (name) => (name === "pkg" ? ["OTHER", "PATH_TO_ALL"] : []),
      run: ({ allowedEnv }) => {
        given.push(allowedEnv);
        const stdout = Buffer.from("{}");
        return Promise.resolve({ how: "exited", code: 0, signal: null, stdout, lastLine: null, opening: "" });
      },
    });
    await callTool(providers.get("pkg"), "run");
    expect(given).toEqual([["OTHER"]]);
    expect(packages.detail("pkg", new Map())).toMatchObject({
      env: [
        { name: "A_KEY", granted: false },
        { name: "OTHER", granted: true },
      ],
      diagnostics: [{ message: expect.stringContaining('"PATH_TO_ALL"'), warning: true }],
    });
  });
});
