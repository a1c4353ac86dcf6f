import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ClientRoots } from "../../kernel/roots.ts";
import type { RootSettings } from "./configured-roots.ts";
import { LIST, client, dirs, kindOf, open, tell, temporaryDir } from "./roots-for-tests.ts";

describe("where nobody configured roots", () => {
  it("each workspace has one, made for its owner alone when it is first asked for", () => {
    const dir = temporaryDir();
    const { of } = open(dir);
    const project = join(dir, "workspaces/ws_a/project");
    expect(existsSync(project)).toBe(false);
    const list = of(null, "ws_a");
    expect(list.rows).toEqual([{ name: "project", uri: `file://${project}`, path: project, reason: null }]);
    expect(statSync(project).mode & 0o777).toBe(0o700);
    expect(list.resolve("workspace://a b.usd")).toBe(join(project, "a b.usd"));
    expect(of(null, "ws_b").resolve("x")).toBe(join(dir, "workspaces/ws_b/project/x"));
    expect(kindOf(() => list.resolve(join(dir, "workspaces/ws_b/project/x")))).toBe("path_outside_roots");
    expect([list.supportsRoots, list.count]).toEqual([false, 1]);
    expect(JSON.parse(list.json)).toEqual({
      profile: "strict",
      roots: [{ name: "project", uri: `file://${project}`, path: project }],
    });
    expect(JSON.parse(list.listing)).toEqual({ roots: [{ uri: `file://${project}`, name: "project" }] });
    expect(list.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("says so when the folder cannot be made, and tries again", () => {
    const dir = temporaryDir();
    const { of } = open(dir);
    writeFileSync(join(dir, "workspaces"), "");
    expect(of().rows).toMatchObject([{ path: null, reason: expect.stringContaining("cannot be made") }]);
    expect([of().json, of().digest]).toEqual(["null", null]);
    rmSync(join(dir, "workspaces"));
    expect(of().rows).toMatchObject([{ reason: null }]);
    rmSync(join(dir, "workspaces"), { recursive: true });
    expect([of().rows[0]?.reason, existsSync(join(dir, "workspaces/ws_default/project"))]).toEqual([null, true]);
  });
});

describe("configured roots", () => {
  it("are listed in order; a bad name or a second one of a name is no base", () => {
    const dir = temporaryDir();
    mkdirSync(join(dir, "My Project"));
    const list = [
      { name: "bad name", path: "a" },
      { name: "hero", path: "My Project" },
      { name: "hero", path: "b" },
      { name: "uri", path: `file://${dir}/My%20Project` },
      { name: "far", path: "file://server/share" },
    ];
    const roots = open(dir, { list }).of();
    expect(tell(roots)).toEqual([
      ["bad name", null, true],
      ["hero", join(dir, "My Project"), false],
      ["hero", null, true],
      ["uri", join(dir, "My Project"), false],
      ["far", null, true],
    ]);
    expect(roots.count).toBe(5);
    expect(roots.resolve("workspace://x")).toBe(join(dir, "My Project/x"));
    expect(roots.resolve("workspace://@uri/x")).toBe(join(dir, "My Project/x"));
    expect(kindOf(() => roots.resolve("workspace://@far/x"))).toBe("unknown_root");
    expect(roots.rows[1]?.uri).toBe(`file://${dir}/My%20Project`);
  });

  it("may be none: then nothing is resolved and no folder is made", () => {
    const dir = temporaryDir();
    const roots = open(dir, { list: [] }).of();
    expect([roots.json, roots.listing, roots.digest, roots.count]).toEqual(["null", '{"roots":[]}', null, 0]);
    expect(kindOf(() => roots.resolve("workspace://x"))).toBe("no_workspace_roots");
    expect(existsSync(join(dir, "workspaces"))).toBe(false);
  });

  it("follow the profile, and count anew when the configuration is another", () => {
    const dir = temporaryDir();
    mkdirSync(join(dir, "a"));
    const { of, state } = open(dir, { list: [{ name: "a", path: "a" }] });
    const before = of();
    expect(of()).toBe(before);
    expect(kindOf(() => before.resolve("/etc/passwd"))).toBe("path_outside_roots");
    state.settings = { ...state.settings, profile: "permissive" };
    expect(of().resolve("/etc/passwd")).toBe("/etc/passwd");
    expect(of().digest).not.toBe(before.digest);
  });
});

describe("roots that a client announces", () => {
  it.each<[RootSettings["fromClients"], ClientRoots["via"], string, boolean]>([
    ["auto", "http", "opened", true],
    ["auto", "http", "inside", true],
    ["auto", "http", "elsewhere", false],
    ["auto", "http", "link", false],
    ["auto", "http", "dir", false],
    ["auto", "stdio", "elsewhere", true],
    ["auto", "stdio", "link", true],
    ["always", "http", "elsewhere", true],
    ["always", "stdio", "elsewhere", true],
    ["never", "http", "inside", false],
    ["never", "stdio", "inside", false],
  ])("fromClients %s, over %s: %s is believed: %s", (fromClients, via, which, believed) => {
    const all = dirs();
    const path = all[which as keyof typeof all];
    const list = open(all.dir, { ...LIST, fromClients }).of(client(via, `file://${path}`));
    expect([list.supportsRoots, list.count, list.rows[0]?.reason === null]).toEqual([true, 1, believed]);
    if (believed) expect(tell(list)).toEqual([[null, path, false]]);
    else
      expect(tell(list)).toEqual([
        [null, null, true],
        ["opened", all.opened, false],
      ]);
    expect(list.resolve("workspace://x")).toBe(join(believed ? path : all.opened, "x"));
    expect(list.rows[0]?.reason ?? "").not.toContain(all.dir);
  });

  it.each([
    "/",
    "/home",
    "/home/ann",
    "/home/bob",
    "/Users/x",
    "/root",
    "/etc",
    "/etc/nginx",
    "/usr",
    "/usr/lib/x",
    "/var",
    "/proc/1",
  ])("a client on this machine does not open %s", (path) => {
    const list = open(temporaryDir(), LIST).of(client("stdio", `file://${path}`));
    expect(list.rows[0]).toMatchObject({ path: null, reason: expect.stringContaining("open a project folder") });
  });

  it.each(["/home/ann/hero", "/home/bob/hero", "/srv/hero", "/opt/hero", "/tmp", "/usr/local/src", "/root/hero"])(
    "a client on this machine opens %s",
    (path) => {
      const { of } = open(temporaryDir(), LIST, { workDir: "/home/ann/.bailiwick" });
      expect(tell(of(client("stdio", `file://${path}`)))).toEqual([[null, path, false]]);
    },
  );

  it("that name no folder of this machine stay in the list, in order, and are no base", () => {
    const { dir, opened, inside } = dirs();
    const named: ClientRoots = {
      via: "http",
      listed: [
        { uri: "https://x.test/", name: "web" },
        { uri: opened, name: "plain" },
        { uri: `file://${opened}/../x`, name: null },
        { uri: `file://localhost${inside}`, name: "My Project" },
        { uri: `file://${opened}`, name: "bad\u0007" },
      ],
    };
    const list = open(dir, LIST).of(named);
    expect(tell(list)).toEqual([
      ["web", null, true],
      ["plain", null, true],
      [null, null, true],
      ["My Project", inside, false],
      [null, opened, false],
    ]);
    expect(list.count).toBe(5);
    expect(list.resolve("workspace://x")).toBe(join(inside, "x"));
    expect(list.resolve("workspace://@My%20Project/x")).toBe(join(inside, "x"));
    expect(JSON.parse(list.listing)).toEqual({
      roots: [{ uri: `file://localhost${inside}`, name: "My Project" }, { uri: `file://${opened}` }],
    });
  });

  it("count from the next call when they are others, and none at all leaves those of the host", () => {
    const { dir, opened, inside } = dirs();
    const { of } = open(dir, LIST);
    const [first, second, none] = [
      client("http", `file://${inside}`),
      client("http", `file://${opened}`),
      client("http"),
    ];
    expect(of(first)).toBe(of(first));
    expect(of(first).digest).not.toBe(of(second).digest);
    expect(of(second).resolve("x")).toBe(join(opened, "x"));
    expect([of(none).supportsRoots, of(none).count, of(none).resolve("x")]).toEqual([true, 0, join(opened, "x")]);
    expect(of(none)).not.toBe(of(null));
  });

  it("are used up to a number", () => {
    const { dir, inside } = dirs();
    const many = client("http", ...Array.from({ length: 70 }, () => `file://${inside}`));
    const list = open(dir, LIST).of(many);
    expect([list.count, list.rows.filter(({ path }) => path !== null).length]).toEqual([70, 64]);
    expect(open(dir, LIST).of({ ...many, announced: 1_000 }).count).toBe(1_000);
  });

  it("on another system follow its rules", () => {
    const { of } = open("/x", LIST, { flavour: "win32", resolvePath: () => "C:\\projects", home: "C:\\Users\\ann" });
    const announced = client(
      "stdio",
      "file:///D:/hero",
      "file:///C:/Users/ann",
      "file:///C:/",
      "file:///C:/Windows/x",
      "file://srv/share/a",
    );
    expect(of(announced).rows.map(({ path }) => path)).toEqual(["D:\\hero", null, null, null, "\\\\srv\\share\\a"]);
  });
});
