import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { linksOn } from "./links-on.ts";

const openDir = (): string => {
  const dir = realpathSync(makeWorkDir());
  mkdirSync(join(dir, "real/inner"), { recursive: true });
  return dir;
};

test("each link on the way is told with the folder that it really lies in", async () => {
  const dir = openDir();
  symlinkSync("real", join(dir, "first"));
  symlinkSync("../second", join(dir, "real/out"));
  symlinkSync(join(dir, "real/inner"), join(dir, "second"));
  expect(await linksOn(join(dir, "first/out"))).toEqual([
    { path: join(dir, "first"), target: join(dir, "real") },
    { path: join(dir, "real/out"), target: join(dir, "real/inner") },
    { path: join(dir, "second"), target: join(dir, "real/inner") },
  ]);
});

test("there are none on a path that has none, or that leads nowhere", async () => {
  const dir = openDir();
  symlinkSync("absent", join(dir, "nowhere"));
  symlinkSync("b", join(dir, "a"));
  symlinkSync("a", join(dir, "b"));
  for (const path of ["real/inner", "absent/x", "nowhere", "a"]) expect(await linksOn(join(dir, path))).toEqual([]);
});
