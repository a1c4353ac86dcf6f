/** What a package of npm depends on stays what it was, in each workspace by itself. */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorkDir } from "../bundles-for-tests.ts";
import type { Located } from "../located.ts";
import { openNpmShop, packPackage } from "./npm-registry-for-tests.ts";
import type { Sources } from "./create-sources.ts";
import { makeSources, nameEntry, order } from "./sources-for-tests.ts";

const dependency = (version: string): ReturnType<typeof packPackage> => packPackage({ name: "dep", version });

const dependencyIn = ({ directory }: Located): unknown =>
  (JSON.parse(readFileSync(join(directory, "node_modules/dep/package.json"), "utf8")) as { version: unknown }).version;

test("an install elsewhere and a new copy change nothing that a package depends on; an upgrade does", async () => {
  const dir = makeWorkDir();
  const server = packPackage({
    name: "echo",
    version: "1.0.0",
    more: { bin: "run.js", dependencies: { dep: "^1.0.0" } },
    files: { "run.js": "" },
  });
  const packages = [server, dependency("1.0.0")];
  const { env } = await openNpmShop(() => packages);
  const sourcesOf = (workspace: string): Sources => makeSources(dir, { env, workspace });
  const one = await sourcesOf("ws_one").locate(nameEntry("npm:echo"), order());
  expect(dependencyIn(one)).toBe("1.0.0");
  const { ino } = statSync(one.directory);

  packages.push(dependency("1.1.0"));
  const two = await sourcesOf("ws_two").locate(nameEntry("npm:echo"), order({ fresh: "newest" }));
  expect([two.digest, dependencyIn(two)]).toEqual([one.digest, "1.1.0"]);
  expect(two.directory).not.toBe(one.directory);
  expect([statSync(one.directory).ino, dependencyIn(one)]).toEqual([ino, "1.0.0"]);

  await expect(sourcesOf("ws_one").locate(nameEntry("npm:echo"), order({ fresh: "copy" }))).resolves.toEqual(one);
  expect(statSync(one.directory).ino).toBe(ino);
  rmSync(one.directory, { recursive: true });
  await expect(sourcesOf("ws_one").locate(nameEntry("npm:echo"), order())).resolves.toEqual(one);
  expect(dependencyIn(one)).toBe("1.0.0");

  const upgraded = await sourcesOf("ws_one").locate(nameEntry("npm:echo"), order({ fresh: "newest" }));
  expect(upgraded.directory).toBe(two.directory);
}, 60_000);
