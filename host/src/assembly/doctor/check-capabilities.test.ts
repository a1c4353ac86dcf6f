import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Check } from "./check.ts";
import { checkCapabilities } from "./check-capabilities.ts";

let baseDir: string;
beforeEach(() => {
  baseDir = mkdtempSync(join(tmpdir(), "bailiwick-doctor-"));
  mkdirSync(join(baseDir, "assets"));
  writeFileSync(join(baseDir, "file"), "");
});
afterEach(() => rmSync(baseDir, { recursive: true, force: true }));

const check = (capabilities: object, env: Record<string, string> = {}): readonly Check[] => {
  const { config, errors } = parseConfig(JSON.stringify({ capabilities }), { dialect: "bailiwick" });
  if (config === null) throw new Error(JSON.stringify(errors));
  return checkCapabilities({ loaded: { config, baseDir }, env, home: baseDir });
};

describe("capabilities in the configuration", () => {
  it("are not mentioned where there are none", () => {
    expect(check({})).toEqual([]);
  });

  it("are named once each, a provider's own among them", () => {
    expect(check({ declared: ["usd", "usd"], providers: { maya: ["viewport", "usd"] } })).toMatchObject([
      { state: "ok", message: "declared: usd, viewport" },
    ]);
  });

  it("that are required of what can be no tool are a warning", () => {
    const [warning, ...more] = check({ require: { maya: ["usd"], maya__import: ["usd"], "maya*": ["usd"] } });
    expect(warning).toMatchObject({ state: "warn", message: expect.stringContaining('"maya"') as unknown });
    expect(warning?.fix).toContain('"maya__*"');
    expect(more).toEqual([]);
  });

  it("a granted variable that is not set is a warning, and its value is never shown", () => {
    const checks = check({ env: { maya: ["LICENSE", "TOKEN"] } }, { TOKEN: "hidden" });
    expect(checks).toMatchObject([{ name: "skill maya", state: "warn" }]);
    expect(checks[0]?.message).toContain("LICENSE");
    expect(JSON.stringify(checks)).not.toContain("hidden");
  });
});

describe("roots in the configuration", () => {
  const rootsOf = (list: object[], more: object = {}): readonly Check[] => check({ roots: { list, ...more } });

  it("that are there are fine, relative ones and ones in the home directory among them", () => {
    expect(
      rootsOf([
        { name: "a", path: "assets" },
        { name: "home", path: "~" },
      ]),
    ).toEqual([
      { name: "root a", state: "ok", message: join(baseDir, "assets"), fix: null },
      { name: "root home", state: "ok", message: baseDir, fix: null },
    ]);
    expect(rootsOf([])).toEqual([]);
  });

  it.each([
    ["a folder that is not there", "gone"],
    ["a file", "file"],
    ["below a file", "file/x"],
  ])("%s fails with its path", (_, path) => {
    const [found] = rootsOf([{ name: "a", path }]);
    expect(found).toMatchObject({ state: "fail", message: expect.stringContaining(`${join(baseDir, path)}: `) });
    expect(found?.message).toMatch(/there is no such folder|it is no folder/);
    expect(found?.fix).toContain("capabilities.roots.list");
  });

  it("a name that is none, and one that stands twice, fail", () => {
    const at = (name: string) => ({ name, path: "assets" });
    expect(rootsOf([at("a b"), at("x"), at("x")]).map(({ state }) => state)).toEqual(["fail", "ok", "fail"]);
  });

  it("the permissive profile is a warning", () => {
    expect(rootsOf([], { profile: "permissive" })).toMatchObject([{ name: "roots", state: "warn" }]);
  });
});
