import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigError } from "./config-error.ts";
import { findConfig, type FindConfigOptions } from "./find-config.ts";

let root: string;
let place: FindConfigOptions;

const put = (...path: string[]): string => {
  const file = join(root, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "{}");
  return file;
};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-find-")));
  for (const folder of ["cwd", "home", "work"]) mkdirSync(join(root, folder));
  place = { env: {}, cwd: join(root, "cwd"), home: join(root, "home") };
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the place of the configuration", () => {
  test("is, in this order: --config, the work directory, here, home", () => {
    const home = put("home", ".bailiwick", "bailiwick.json");
    expect(findConfig(place).file).toBe(home);
    const here = put("cwd", "bailiwick.json");
    expect(findConfig(place).file).toBe(here);
    const work = put("work", "bailiwick.json");
    expect(findConfig({ ...place, workDirFlag: join(root, "work") }).file).toBe(work);
    const named = put("other", "mine.json");
    expect(findConfig({ ...place, workDirFlag: join(root, "work"), configFlag: named })).toEqual({
      file: named,
      dialect: "bailiwick",
      baseDir: join(root, "other"),
    });
  });

  test("goes on to the next when the work directory has no file", () => {
    const here = put("cwd", "bailiwick.json");
    expect(findConfig({ ...place, workDirFlag: join(root, "work") }).file).toBe(here);
    expect(findConfig({ ...place, workDirFlag: join(root, "not-there") }).file).toBe(here);
  });

  test("may be told by BAILIWICK_WORK_DIR, and --workdir wins", () => {
    const work = put("work", "bailiwick.json");
    const other = put("other", "bailiwick.json");
    const env = { BAILIWICK_WORK_DIR: join(root, "work") };
    expect(findConfig({ ...place, env }).file).toBe(work);
    expect(findConfig({ ...place, env, workDirFlag: "../other" }).file).toBe(other);
    expect(findConfig({ ...place, env: { BAILIWICK_WORK_DIR: "" } }).file).toBeNull();
  });

  test("has a nimblebrain.json read only where there is no bailiwick.json", () => {
    const old = put("cwd", "nimblebrain.json");
    put("home", ".bailiwick", "bailiwick.json");
    expect(findConfig(place)).toEqual({ file: old, dialect: "nimblebrain", baseDir: join(root, "cwd") });
    const own = put("cwd", "bailiwick.json");
    expect(findConfig(place)).toMatchObject({ file: own, dialect: "bailiwick" });
    expect(findConfig({ ...place, configFlag: "nimblebrain.json" }).dialect).toBe("nimblebrain");
  });

  test("is nowhere: defaults, and a file would be written to the work directory", () => {
    expect(findConfig(place)).toEqual({ file: null, dialect: "bailiwick", baseDir: join(root, "home", ".bailiwick") });
    expect(findConfig({ ...place, workDirFlag: "~/w" }).baseDir).toBe(join(root, "home", "w"));
  });

  test("is relative to the working directory on the command line", () => {
    const named = put("cwd", "sub", "mine.json");
    expect(findConfig({ ...place, configFlag: "sub/mine.json" }).file).toBe(named);
  });
});

describe("a configuration that cannot be", () => {
  test("is an error when --config names no file, and not another file", () => {
    put("cwd", "bailiwick.json");
    expect(() => findConfig({ ...place, configFlag: "mine.json" })).toThrow(ConfigError);
    expect(() => findConfig({ ...place, configFlag: "mine.json" })).toThrow(
      `--config ${join(root, "cwd", "mine.json")}: there is no such file`,
    );
    expect(() => findConfig({ ...place, configFlag: "bailiwick.json/x" })).toThrow("there is no such file");
  });

  test("is an error when it is a directory", () => {
    mkdirSync(join(root, "cwd", "bailiwick.json"));
    expect(() => findConfig(place)).toThrow("is a directory");
  });
});
