import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigError } from "./config-error.ts";
import type { FindConfigOptions } from "./find-config.ts";
import { loadConfig, refuseUnavailable } from "./load-config.ts";

let root: string;
let file: string;
let place: FindConfigOptions;

const write = (content: unknown): void => writeFileSync(file, JSON.stringify(content));
const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error("no error");
};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-load-")));
  for (const folder of ["cwd", "home", "etc"]) mkdirSync(join(root, folder));
  file = join(root, "etc", "bailiwick.json");
  place = { configFlag: file, env: {}, cwd: join(root, "cwd"), home: join(root, "home") };
});
afterEach(() => rmSync(root, { recursive: true }));

describe("a good file", () => {
  test("is loaded with its warnings, notes and what is not available yet", () => {
    write({ http: { port: 8000 }, logging: { level: "debug" }, nonsense: 1 });
    const loaded = loadConfig(place);
    expect(loaded.config.http.port).toBe(8000);
    expect(loaded).toMatchObject({ file, baseDir: join(root, "etc"), notes: [] });
    expect(loaded.warnings).toEqual([{ pointer: "/nonsense", message: "unknown key, ignored" }]);
    expect(loaded.unavailable).toEqual([
      { pointer: "/logging/level", message: "not available yet: log levels; this key has no effect", blocking: false },
    ]);
    expect(() => refuseUnavailable(loaded)).not.toThrow();
  });

  test("need not be there", () => {
    const { configFlag, ...nowhere } = place;
    expect(configFlag).toBe(file);
    expect(loadConfig(nowhere)).toMatchObject({
      file: null,
      workDir: join(root, "home", ".bailiwick"),
      unavailable: [],
    });
  });
});

describe("the work directory", () => {
  test("is --workdir, else BAILIWICK_WORK_DIR, else the file's, else ~/.bailiwick", () => {
    write({});
    expect(loadConfig(place).workDir).toBe(join(root, "home", ".bailiwick"));
    write({ workDir: "state" });
    expect(loadConfig(place).workDir).toBe(join(root, "etc", "state"));
    const env = { BAILIWICK_WORK_DIR: "from-env" };
    expect(loadConfig({ ...place, env }).workDir).toBe(join(root, "cwd", "from-env"));
    expect(loadConfig({ ...place, env, workDirFlag: "/flag" }).workDir).toBe("/flag");
  });

  test.each([
    ["~", "home"],
    ["~/w", "home/w"],
    ["~w", "etc/~w"],
    ["../w", "w"],
  ])("%j is %s", (workDir, expected) => {
    write({ workDir });
    expect(loadConfig(place).workDir).toBe(join(root, expected));
  });
});

describe("a bad file", () => {
  test("is refused by a headline with the file and a line for each error", () => {
    write({ version: "2", bundles: [{ path: "a" }, { path: "b" }, { name: "x", url: "https://a.example" }] });
    expect(messageOf(() => loadConfig(place)).split("\n")).toEqual([
      `${file} cannot be used, 2 errors:`,
      '/version: expected "1", found "2"',
      "/bundles/2: give exactly one of name, path, url (found name, url)",
    ]);
  });

  test("is refused with line and column when it is not JSON", () => {
    writeFileSync(file, '{\n  "version": "1"\n  "http": {}\n}');
    expect(messageOf(() => loadConfig(place)).split("\n")).toEqual([
      `${file} cannot be used, 1 error:`,
      "line 3, column 3: not valid JSON: expected , or }",
    ]);
  });

  test("is refused when it is not UTF-8 or far too large", () => {
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(messageOf(() => loadConfig(place))).toBe(`${file} is not UTF-8; save it in that encoding`);
    writeFileSync(file, " ".repeat(4_194_305));
    expect(messageOf(() => loadConfig(place))).toContain("has 4194305 bytes");
  });

  test("is loaded for a look, and not started, when it asks for a restriction the host does not have", () => {
    write({ features: { mcpServer: false }, storage: { type: "postgres", url: "x" } });
    const loaded = loadConfig(place);
    expect(messageOf(() => refuseUnavailable(loaded)).split("\n")).toEqual([
      `${file} cannot be used, 2 errors:`,
      "/features/mcpServer: not available yet: switching the MCP endpoint off; the host does not start with this key; take it out",
      "/storage/type: not available yet: the PostgreSQL store; the host does not start with this key; take it out",
    ]);
  });
});
