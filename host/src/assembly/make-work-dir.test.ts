import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.ts";
import { makeWorkDir } from "./make-work-dir.ts";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-make-"));
  writeFileSync(join(dir, "file"), "");
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("the work directory", () => {
  it("is made with its parents, for its owner alone, and left as it is when it is there", () => {
    const path = join(dir, "a", "b");
    makeWorkDir(path);
    makeWorkDir(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.each(["file", "file/below"])("cannot be %s, and the message says what to give instead", (name) => {
    expect(() => makeWorkDir(join(dir, name))).toThrow(ConfigError);
    expect(() => makeWorkDir(join(dir, name))).toThrow("--workdir <dir>");
  });

  it.runIf(process.platform === "linux")(
    "cannot be where the system takes no directories, which is said and not tried for ever",
    () => {
      expect(() => makeWorkDir("/proc/bailiwick")).toThrow(ConfigError);
    },
  );
});
