import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { expect, it, onTestFinished } from "vitest";
import { checkSkillDirs } from "./check-skill-dirs.ts";

it("a directory that the configuration names and that is not there is told as it is written, one that is there is not", () => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-doctor-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "there"));
  writeFileSync(join(dir, "file"), "");
  const { config } = parseConfig(JSON.stringify({ skillDirs: ["there", "gone", "~/there", "file"] }), {
    dialect: "bailiwick",
  });
  if (config === null) throw new Error("the configuration cannot be read");
  const checks = checkSkillDirs({ config, baseDir: dir }, dir);
  expect(checks.map(({ name, state, message }) => [name, state, message])).toEqual([
    ["skills", "warn", '"gone" in skillDirs is no folder, so nothing is loaded from it.'],
    ["skills", "warn", '"file" in skillDirs is no folder, so nothing is loaded from it.'],
  ]);
});
