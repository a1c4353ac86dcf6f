import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readArgumentTest, type Rooted } from "./argument-test.ts";
import { rootListOf } from "./roots-for-tests.ts";
import type { RootList } from "./roots.ts";

const ask = (test: object, args: Record<string, unknown>, where: Rooted | null = null): boolean | null | string => {
  const read = readArgumentTest(test);
  return "fault" in read ? read.fault : read.test(args, where);
};

describe("a test of an argument", () => {
  it.each([
    ["=", 5, 5, true],
    ["=", 5, 6, false],
    ["=", { a: [1] }, { a: [1] }, true],
    ["!=", 5, 6, true],
    ["!=", 5, 5, false],
    ["<", 5, 4, true],
    ["<", 5, 5, false],
    ["<=", 5, 5, true],
    [">", 5, 6, true],
    [">=", 5, 5, true],
    [">=", "2026-01-01", "2026-02-01", true],
    ["in", ["a", "b"], "b", true],
    ["in", ["a", "b"], "c", false],
    ["not_in", ["a", "b"], "c", true],
    ["not_in", ["a", "b"], "a", false],
    ["matches", "^rm\\b", "RM -rf /", true],
    ["matches", "^rm\\b", "ls", false],
    ["exists", undefined, "x", true],
    ["exists", false, "x", false],
  ])("%s %j of %j is %s", (op, value, found, expected) => {
    expect(ask({ path: "/a", op, ...(value === undefined ? {} : { value }) }, { a: found })).toBe(expected);
  });

  it.each([
    ["=", 5, "5"],
    ["!=", 5, "5"],
    [">", 5, "6"],
    [">", "a", 6],
    ["in", ["a"], 1],
    ["not_in", ["a"], 1],
    ["matches", "x", 5],
    ["under", "project", "workspace://x"],
  ])("%s has no answer for what cannot be compared: %j and %j", (op, value, found) => {
    expect(ask({ path: "/a", op, value }, { a: found })).toBeNull();
  });

  it("has no answer for what is missing, but for whether it exists", () => {
    expect(ask({ path: "/a", op: "!=", value: 1 }, {})).toBeNull();
    expect(ask({ path: "/a", op: "exists" }, {})).toBe(false);
    expect(ask({ path: "/a", op: "exists", value: false }, {})).toBe(true);
    expect(ask({ path: "/toString", op: "exists" }, {})).toBe(false);
  });

  it("follows a JSON pointer", () => {
    const args = { list: [{ "a/b": { "~": 7 } }] };
    expect(ask({ path: "/list/0/a~1b/~0", op: "=", value: 7 }, args)).toBe(true);
    expect(ask({ path: "", op: "=", value: args }, args)).toBe(true);
  });

  it.each([
    [{ path: "amount", op: "=", value: 1 }, "JSON pointer"],
    [{ path: "/a~2", op: "=", value: 1 }, "JSON pointer"],
    [{ path: "/a", op: "~", value: 1 }, "operator"],
    [{ path: "/a", op: "=" }, "needs a value"],
    [{ path: "/a", op: ">", value: null }, "number"],
    [{ path: "/a", op: "in", value: "x" }, "list"],
    [{ path: "/a", op: "matches", value: "(?=x)" }, "regular expression"],
    [{ path: "/a", op: "matches", value: "(" }, "regular expression"],
    [{ path: "/a", op: "exists", value: 1 }, "true or false"],
    [{ path: "/a", op: "under", value: 1 }, "name of a root"],
    [{ path: "/a", op: "=", value: 1, vlaue: 2 }, "no member"],
  ])("that cannot be read says why: %j", (test, why) => {
    expect(ask(test, {})).toContain(why);
  });

  describe("under", () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-under-")));
    afterAll(() => rmSync(dir, { recursive: true }));
    mkdirSync(join(dir, "project/public"), { recursive: true });
    mkdirSync(join(dir, "renders"));
    symlinkSync("/etc", join(dir, "project/out"));
    symlinkSync(join(dir, "renders"), join(dir, "project/across"));
    const roots = { project: join(dir, "project"), renders: join(dir, "renders") };
    const rootedIn = (called: RootList, configured = called): Rooted => ({ roots: () => ({ called, configured }) });

    it.each<[unknown, unknown, boolean | null]>([
      [undefined, "workspace://a.usd", true],
      [undefined, "a.usd", true],
      [undefined, `${roots.renders}/a.exr`, true],
      [undefined, "/etc/passwd", false],
      [undefined, "../a", false],
      [undefined, "workspace://out/passwd", false],
      [undefined, `${roots.project}/out/passwd`, false],
      [undefined, `${roots.project}/../elsewhere`, false],
      [undefined, "http://x.test/a", null],
      [undefined, "", null],
      [undefined, "workspace://@nobody/a", null],
      [undefined, 5, null],
      [undefined, ["a"], null],
      ["project", "workspace://a", true],
      ["renders", "workspace://a", false],
      ["renders", "workspace://@renders/a", true],
      ["renders", `${roots.renders}/a`, true],
      ["nobody", "workspace://a", null],
      ["workspace://public", "workspace://public/a", true],
      ["workspace://public", "public", true],
      ["workspace://public", "workspace://public/../a", false],
      ["workspace://public", "workspace://publicity/a", false],
      ["workspace://not-yet", "workspace://not-yet/a", true],
      ["workspace://@renders/2026", "workspace://@renders/2026/a", true],
      ["workspace://@renders/2026", "workspace://@renders/2027/a", false],
      ["workspace://../x", "workspace://a", null],
    ])("%j of %j is %j, whatever the profile lets pass", (value, found, expected) => {
      const test = { path: "/a", op: "under", ...(value === undefined ? {} : { value }) };
      for (const profile of ["strict", "permissive"] as const) {
        const where = rootedIn(rootListOf(roots, profile));
        expect(ask(test, { a: found }, where)).toBe(expected);
      }
    });

    it("follows what a link leads to", () => {
      const where = rootedIn(rootListOf({ project: roots.project }));
      expect(ask({ path: "/a", op: "under" }, { a: "workspace://across/x" }, where)).toBe(false);
    });

    it.each<[string, string, boolean | null]>([
      ["renders", "workspace://@renders/a", false],
      ["renders", "workspace://@other/a", true],
      ["renders", `${roots.renders}/a`, true],
      ["other", "workspace://@other/a", null],
      ["workspace://@renders/2026", "workspace://@other/2026/a", true],
      ["workspace://public", `${roots.project}/public/a`, null],
      ["workspace://public", "workspace://public/a", null],
      ["workspace://public", "workspace://elsewhere/a", false],
    ])("%j of %j is %j where the client calls its folders otherwise", (value, found, expected) => {
      const client = rootListOf({ renders: join(roots.project, "renders"), other: roots.renders });
      const where = rootedIn(client, rootListOf(roots));
      expect(ask({ path: "/a", op: "under", value }, { a: found }, where)).toBe(expected);
    });

    it("has no answer where there is no root, and asks for roots only when it needs them", () => {
      const none = rootedIn(rootListOf({}));
      expect(ask({ path: "/a", op: "under" }, { a: "workspace://x" }, none)).toBeNull();
      const never = {
        roots: (): never => {
          throw new Error("asked");
        },
      };
      expect(ask({ path: "/a", op: "=", value: 1 }, { a: 1 }, never)).toBe(true);
      expect(ask({ path: "/a", op: "under" }, { a: 1 }, never)).toBeNull();
    });
  });

  it("takes linear time for a hostile pattern", () => {
    expect(ask({ path: "/a", op: "matches", value: "^(a+)+$" }, { a: `${"a".repeat(50_000)}!` })).toBe(false);
  });
});
