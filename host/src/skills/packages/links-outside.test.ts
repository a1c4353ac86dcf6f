import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDir, write } from "../skills-for-tests.ts";
import { linksOutside } from "./links-outside.ts";
import { openPackages, packageFiles, toolsOf } from "./packages-for-tests.ts";

const ROOT = "/skills/pkg";
const outside = (links: Readonly<Record<string, string>>): readonly string[] =>
  linksOutside({ root: ROOT, links: Object.entries(links).map(([path, target]) => ({ path, target })) });

describe("a link of a package", () => {
  it.each<Readonly<Record<string, string>>>([
    { a: "b" },
    { "x/a": "../b" },
    { "x/a": "./y//z" },
    { "x/a": "y/../../b" },
    { a: `${ROOT}/scripts/b.py` },
    { a: "." },
    { "x/a": ".." },
    { a: "nothing/there" },
    { a: "b", b: "a" },
    { a: "..b" },
    { a: "x/.git" },
  ])("leads inside: %j", (links) => {
    expect(outside(links)).toEqual([]);
  });

  it.each<Readonly<Record<string, string>>>([
    { a: "/tmp/outside" },
    { a: "/skills/pkg2/x" },
    { a: "/skills" },
    { a: "../pkg/b" },
    { a: ".." },
    { "x/a": "../../other" },
    { "x/a": "y/../../../b" },
    { a: "/other/way/into/pkg" },
    { a: ".git/hooks/x" },
    { "x/a": "../.svn" },
    { a: "/skills/pkg/../other" },
  ])("leads out, or may be made to: %j", (links) => {
    expect(outside(links)).toEqual(Object.keys(links));
  });

  it("leads where the links on its way lead", () => {
    expect(outside({ "d/here": ".", a: "d/here/../../x" })).toEqual(["a"]);
    expect(outside({ d: "deep/er", a: "d/../x" })).toEqual([]);
    expect(outside({ a: "b/x", b: "c", c: "/etc" })).toEqual(["a", "b", "c"]);
  });
});

describe("a package with a link that leads out of it", () => {
  const open = async (link: string, target: string) => {
    const dir = makeDir();
    const root = join(dir, "pkg");
    write(root, packageFiles("pkg", "tools: [run]\n"));
    mkdirSync(join(root, ".git"));
    symlinkSync(target, join(root, link));
    return openPackages(dir);
  };

  it.each<[string, string]>([
    ["scripts/lib", "/tmp"],
    ["scripts/lib", "/nothing/is/there"],
    ["deep", "../elsewhere"],
    ["scripts/lib", "../.git"],
  ])("is not served, and says why: %s -> %s", async (link, target) => {
    const { packages, said, events } = await open(link, target);
    expect(said).toEqual([]);
    expect(events).toEqual([]);
    const [row] = packages.seen(new Map());
    expect(row).toMatchObject({
      state: "broken",
      reason: `The link "${link}" leads out of the package.`,
      diagnostics: [{ reason_code: "path_outside_package" }],
    });
    expect(row?.diagnostics[0]).not.toHaveProperty("warning");
  });

  it("is served where each link stays inside", async () => {
    const { providers } = await open("scripts/lib", "../SKILL.md");
    expect(toolsOf(providers.get("pkg"))).toEqual(["run"]);
  });
});
