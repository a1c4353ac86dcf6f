import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { CAPABILITY_MISSING, NO_WORKSPACE_ROOTS, WorkspaceResolveError, WorkspaceRoots } from "./index.ts";

const temp = realpathSync(mkdtempSync(join(tmpdir(), "roots-")));
afterAll(() => {
  rmSync(temp, { recursive: true });
});

const kindOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error instanceof WorkspaceResolveError ? error.kind : error;
  }
};

describe("the examples of the guide this follows", () => {
  it("finds char/bob.usd in the first root", () => {
    const roots = new WorkspaceRoots(["/projects/hero"]);
    expect(roots.resolve("workspace://char/bob.usd")).toBe("/projects/hero/char/bob.usd");
  });

  it("hands on an absolute path in the permissive profile, and refuses it in the strict one", () => {
    expect(new WorkspaceRoots(["/projects/hero"], { profile: "permissive" }).resolve("/tmp/abs")).toBe("/tmp/abs");
    expect(kindOf(() => new WorkspaceRoots(["/projects/hero"]).resolve("/tmp/abs"))).toBe("path_outside_roots");
  });

  it("finds assets/hero.usd in what a client announced", () => {
    const roots = WorkspaceRoots.fromClientRoots([{ uri: "file:///projects/hero", name: "Hero" }]);
    expect(roots.resolve("workspace://assets/hero.usd")).toBe("/projects/hero/assets/hero.usd");
    expect(roots.resolve("workspace://@Hero/assets/hero.usd")).toBe("/projects/hero/assets/hero.usd");
  });

  it("does not believe a client that a root lies elsewhere than its URI says", () => {
    const said = { uri: "file:///projects/hero", name: "Hero", path: "/etc" };
    expect(WorkspaceRoots.fromClientRoots([said]).resolve("workspace://passwd")).toBe("/projects/hero/passwd");
    const elsewhere = { uri: "https://example.com/", path: "/etc" };
    expect(WorkspaceRoots.fromClientRoots([elsewhere]).roots()).toMatchObject([{ path: null }]);
  });

  it("says that there are no roots, with the code that clients know", () => {
    expect(() => new WorkspaceRoots([]).resolve("workspace://a")).toThrow(
      'no workspace roots advertised by client; cannot resolve "workspace://a"',
    );
    expect([CAPABILITY_MISSING, NO_WORKSPACE_ROOTS]).toEqual([-32001, -32602]);
  });
});

describe("roots", () => {
  it("finds files in a folder whose URI is encoded", () => {
    const folder = join(temp, "My Project");
    mkdirSync(folder);
    writeFileSync(join(folder, "a b.txt"), "x");
    const uri = pathToFileURL(folder).href;
    expect(uri).toContain("My%20Project");
    expect(new WorkspaceRoots([uri]).resolve("workspace://a%20b.txt")).toBe(join(folder, "a b.txt"));
  });

  it("lists a root that is no file with the reason, and takes the next one for the first", () => {
    const roots = new WorkspaceRoots([{ name: "web", uri: "https://example.com/" }, "relative", "/projects/hero"]);
    expect(roots.roots()).toEqual([
      { name: "web", uri: "https://example.com/", path: null, reason: expect.stringContaining("https:") },
      { name: null, uri: "relative", path: null, reason: expect.stringContaining("no absolute path") },
      { name: null, uri: "/projects/hero", path: "/projects/hero", reason: null },
    ]);
    expect(roots.resolve("a")).toBe("/projects/hero/a");
    expect(kindOf(() => roots.resolve("workspace://@web/a"))).toBe("unknown_root");
  });

  it("keeps the spelling of a root that is reached through a link", () => {
    mkdirSync(join(temp, "real"));
    symlinkSync("real", join(temp, "alias"));
    const roots = new WorkspaceRoots([join(temp, "alias")]);
    expect(roots.resolve("new/file")).toBe(join(temp, "alias/new/file"));
    expect(roots.resolve(join(temp, "real/new/file"))).toBe(join(temp, "alias/new/file"));
  });
});

describe("what a call's _meta says", () => {
  const given = { profile: "strict", roots: [{ name: "project", uri: "file:///p/My%20x", path: "/p/My x" }] };

  it("gives the roots of the call", () => {
    const roots = WorkspaceRoots.fromMeta({ dcc: { workspace_roots: given } });
    expect(roots?.resolve("workspace://@project/a")).toBe("/p/My x/a");
    expect(roots?.roots()).toEqual([{ name: "project", uri: "file:///p/My%20x", path: "/p/My x", reason: null }]);
    expect(roots?.profile).toBe("strict");
  });

  it("is permissive only where it says exactly that", () => {
    const profileOf = (profile: unknown) =>
      WorkspaceRoots.fromMeta({ dcc: { workspace_roots: { ...given, profile } } });
    expect(profileOf("permissive")?.profile).toBe("permissive");
    expect(profileOf("PERMISSIVE")?.profile).toBe("strict");
    expect(profileOf(undefined)?.profile).toBe("strict");
  });

  it.each([
    undefined,
    null,
    {},
    [],
    "x",
    { dcc: null },
    { dcc: { workspace_roots: null } },
    { dcc: { workspace_roots: {} } },
  ])("gives nothing for %j", (meta) => {
    expect(WorkspaceRoots.fromMeta(meta)).toBeNull();
  });
});
