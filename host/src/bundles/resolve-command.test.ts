import { describe, expect, test } from "vitest";
import { Refusal } from "../kernel/refusal.ts";
import type { Manifest, UserConfigField } from "./manifest.ts";
import { resolveCommand, type ResolveCommandOptions } from "./resolve-command.ts";

type McpConfig = NonNullable<Manifest["server"]["mcp_config"]>;

const manifestOf = (config: McpConfig, more: Partial<Manifest> = {}): Manifest => ({
  name: "m",
  version: "1",
  server: { type: "node", entry_point: "i", mcp_config: config },
  ...more,
});
const resolve = (manifest: Manifest, more: Partial<ResolveCommandOptions> = {}): ReturnType<typeof resolveCommand> =>
  resolveCommand({
    manifest,
    directory: "/b",
    provider: "p",
    userConfig: {},
    platform: "linux",
    home: "/home/u",
    path: "/usr/bin:/opt/bin",
    pythonPath: null,
    nodePath: "/host/node",
    exists: () => false,
    ...more,
  });
const field = (more: Partial<UserConfigField>): UserConfigField => ({ type: "string", title: "t", ...more });
const refusalOf = (act: () => unknown): Refusal => {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error("not refused");
};

describe("the program", () => {
  const has =
    (...files: string[]) =>
    (file: string): boolean =>
      files.includes(file);
  test.each([
    ["node", has("/usr/bin/node"), "/host/node"],
    ["python", has("/opt/bin/python3"), "/opt/bin/python3"],
    ["python", has("/opt/bin/python", "/usr/bin/python3"), "/opt/bin/python"],
    ["uvx", has("/opt/bin/uvx"), "/opt/bin/uvx"],
    ["nowhere", has(), "nowhere"],
    ["bin/server", has(), "/b/bin/server"],
    ["${__dirname}/server", has(), "/b/server"],
  ])("%s", (command, exists, expected) => {
    expect(resolve(manifestOf({ command }), { exists }).command).toBe(expected);
  });

  test("an override of this platform wins; its env is merged key by key", () => {
    const config: McpConfig = {
      command: "/a",
      args: ["base"],
      env: { A: "1", B: "2" },
      platform_overrides: { linux: { command: "/l", env: { B: "3" } }, darwin: { command: "/d" } },
    };
    expect(resolve(manifestOf(config))).toMatchObject({ command: "/l", args: ["base"], env: { A: "1", B: "3" } });
  });

  test("uv without mcp_config runs the entry point", () => {
    const manifest: Manifest = { name: "m", version: "1", server: { type: "uv", entry_point: "src/s.py" } };
    expect(resolve(manifest)).toMatchObject({ command: "uv", args: ["run", "--directory", "/b", "src/s.py"] });
  });

  test("Python finds what the bundle brings along", () => {
    const manifest = manifestOf({ command: "/py" }, { server: { type: "python", mcp_config: { command: "/py" } } });
    expect(resolve(manifest, { pythonPath: "/mine" }).env).toEqual({
      PYTHONPATH: "/b/deps:/b/src:/b/server/lib:/mine",
    });
  });

  test("another platform is refused by name", () => {
    const manifest = manifestOf({ command: "/x" }, { compatibility: { platforms: ["win32", "darwin"] } });
    expect(refusalOf(() => resolve(manifest)).message).toBe("m runs on win32, darwin only; this machine is linux.");
  });
});

describe("variables", () => {
  test("all of them are put in place, once, and unknown ones stay", () => {
    const args = ["${__dirname}${/}x", "${HOME} ${DESKTOP} ${DOCUMENTS} ${DOWNLOADS}", "${OTHER}", "${user_config.k}"];
    const manifest = manifestOf({ command: "/x", args }, { user_config: { k: field({}) } });
    expect(resolve(manifest, { userConfig: { k: "${HOME}" } }).args).toEqual([
      "/b/x",
      "/home/u /home/u/Desktop /home/u/Documents /home/u/Downloads",
      "${OTHER}",
      "${HOME}",
    ]);
  });

  test("a default's own variables are expanded, and a default satisfies a required field", () => {
    const user_config = { dir: field({ type: "directory", required: true, default: "${HOME}/x" }) };
    const manifest = manifestOf({ command: "/x", env: { D: "${user_config.dir}" } }, { user_config });
    expect(resolve(manifest).env).toEqual({ D: "/home/u/x" });
  });

  test("an optional field that nobody set leaves variable and argument out", () => {
    const config: McpConfig = {
      command: "/x",
      args: ["a", "--k=${user_config.k}"],
      env: { K: "${user_config.k}", L: "l" },
    };
    const manifest = manifestOf(config, { user_config: { k: field({}) } });
    expect(resolve(manifest)).toMatchObject({ args: ["a"], env: { L: "l" } });
    expect(resolve(manifest).env).not.toHaveProperty("K");
  });

  test("a list becomes several arguments", () => {
    const manifest = manifestOf(
      { command: "/x", args: ["${user_config.dirs}", "z"] },
      { user_config: { dirs: field({ type: "directory", multiple: true, default: ["${HOME}", "/y"] }) } },
    );
    expect(resolve(manifest).args).toEqual(["/home/u", "/y", "z"]);
    expect(resolve(manifest, { userConfig: { dirs: ["/q"] } }).args).toEqual(["/q", "z"]);
  });

  test("numbers and booleans are checked, also when they come as text", () => {
    const user_config = { n: field({ type: "number", min: 1, max: 9 }), b: field({ type: "boolean" }) };
    const manifest = manifestOf({ command: "/x", args: ["${user_config.n}", "${user_config.b}"] }, { user_config });
    expect(resolve(manifest, { userConfig: { n: 5, b: false } }).args).toEqual(["5", "false"]);
    expect(resolve(manifest, { userConfig: { n: "7", b: "true" } }).args).toEqual(["7", "true"]);
    expect(refusalOf(() => resolve(manifest, { userConfig: { n: 10, b: "maybe" } })).message).toBe(
      'p has values it cannot use: n must be a number, at least 1 and at most 9 (found 10); b must be true or false (found "maybe").',
    );
  });

  test("required fields that nobody set are all named, with what to write", () => {
    const user_config = {
      key: field({ required: true, sensitive: true }),
      url: field({ required: true }),
      other: field({}),
    };
    const refusal = refusalOf(() => resolve(manifestOf({ command: "/x" }, { user_config })));
    expect(refusal.kind).toBe("credentials_required");
    expect(refusal.message).toBe("p needs key, url, which nobody has set.");
    expect(refusal.next).toContain("bailiwick bundle configure p key=<value> url=<value>");
  });

  test("values of sensitive fields are named as secrets, and no message shows them", () => {
    const user_config = { key: field({ sensitive: true }), n: field({ type: "number", sensitive: true }) };
    const manifest = manifestOf({ command: "/x" }, { user_config });
    expect(resolve(manifest, { userConfig: { key: "hunter2" } }).secrets).toEqual(["hunter2"]);
    expect(refusalOf(() => resolve(manifest, { userConfig: { n: "hunter2" } })).message).not.toContain("hunter2");
  });
});
