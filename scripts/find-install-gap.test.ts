import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findInstallGap } from "./find-install-gap.mjs";

const MANIFEST = { name: "root", dependencies: { left: "^1.0.0" } };
const PACKAGES = {
  "node_modules/left": { version: "1.2.3" },
  "node_modules/app": { resolved: "app", link: true },
  "node_modules/only-elsewhere": { version: "1.0.0", optional: true },
};
let root: string;

const write = (path: string, value: object): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(value));
};
const { "node_modules/only-elsewhere": _elsewhere, ...INSTALLED } = PACKAGES;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "bailiwick-gap-"));
  write("package.json", MANIFEST);
  write("app/package.json", { name: "app" });
  write("package-lock.json", { packages: { "": MANIFEST, app: { name: "app" }, ...PACKAGES } });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("what is missing before a command can run", () => {
  it("nothing, when npm has installed what the lock file says, optional packages of other platforms aside", () => {
    write("node_modules/.package-lock.json", { packages: INSTALLED });
    expect(findInstallGap(root)).toBeNull();
  });

  it("everything, in a fresh clone", () => {
    expect(findInstallGap(root)).toEqual({ kind: "missing", reason: "nothing is installed yet" });
  });

  it("a package that is absent is named", () => {
    write("node_modules/.package-lock.json", { packages: { ...INSTALLED, "node_modules/left": undefined } });
    expect(findInstallGap(root)).toEqual({ kind: "missing", reason: "left is missing or of another version" });
  });

  it("a package of another version is named", () => {
    write("node_modules/.package-lock.json", { packages: { ...INSTALLED, "node_modules/left": { version: "1.2.4" } } });
    expect(findInstallGap(root)).toEqual({ kind: "missing", reason: "left is missing or of another version" });
  });

  it("a workspace's package.json that the lock file does not know asks for npm install", () => {
    write("node_modules/.package-lock.json", { packages: INSTALLED });
    write("app/package.json", { name: "app", dependencies: { right: "1.0.0" } });
    expect(findInstallGap(root)).toEqual({
      kind: "disagree",
      reason: `${join("app", "package.json")} and package-lock.json do not agree`,
    });
  });

  it("a lock file that is not JSON is named", () => {
    writeFileSync(join(root, "package-lock.json"), "<<<<<<< HEAD");
    expect(() => findInstallGap(root)).toThrow(/package-lock\.json cannot be read as JSON/);
  });
});
